/** The sounds for right and not right, made by the browser itself. */

const RIGHT_HZ = [660, 990]; // a rising fifth
const WRONG_HZ = [196];
const TONE_S = 0.12;
const LOUDNESS = 0.12;

let context: AudioContext | undefined;

export function sound(right: boolean): void {
  if (typeof AudioContext === "undefined") return;
  context ??= new AudioContext();
  void context.resume();
  for (const [n, hertz] of (right ? RIGHT_HZ : WRONG_HZ).entries()) tone(context, hertz, n * TONE_S);
}

function tone(context: AudioContext, hertz: number, delay: number): void {
  const [begin, end] = [context.currentTime + delay, context.currentTime + delay + TONE_S];
  const oscillator = new OscillatorNode(context, { frequency: hertz, type: "sine" });
  const gain = new GainNode(context, { gain: 0 });
  // a soft edge on both sides: no click
  gain.gain.setValueAtTime(0, begin);
  gain.gain.linearRampToValueAtTime(LOUDNESS, begin + 0.015);
  gain.gain.linearRampToValueAtTime(0, end);
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(begin);
  oscillator.stop(end);
}
