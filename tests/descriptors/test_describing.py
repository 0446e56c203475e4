"""Features of files: what they tell apart, what they do not hang on, and what is refused."""

import shutil
import ssl
from datetime import UTC, datetime, timedelta
from functools import partial
from hashlib import sha256
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import numpy as np
import pandas as pd
import pytest
import soundfile
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from onnx import TensorProto, helper, numpy_helper, save
from PIL import Image, ImageDraw

import resemblance as rs
from resemblance.errors import FileError, ResemblanceError, ResemblanceWarning


def disc(colour="red", side=200, radius=0.3, squeezed=1.0):
    image = Image.new("RGB", (side, side), "white")
    middle, r = side / 2, radius * side
    box = [middle - r, middle - squeezed * r, middle + r, middle + squeezed * r]
    ImageDraw.Draw(image).ellipse(box, fill=colour)
    return image


def table(folder, **settings):
    items = rs.describe_stimuli(folder, **settings)
    return items.to_pandas().set_index("item").drop(columns="image", errors="ignore")


def test_colour_shape_and_texture_are_told_apart_and_size_is_not(tmp_path):
    checks = (np.indices((200, 200)).sum(axis=0) % 2 * 255).astype(np.uint8)
    images = {
        "red": disc(),
        "large": disc(side=800),
        "green": disc("green"),
        "flat": disc(squeezed=0.4),
        "checks": Image.fromarray(checks),
    }
    for name, image in images.items():
        image.save(tmp_path / f"{name}.png")
    seen = table(tmp_path)
    unit = seen.std() + 1e-9
    apart = (((seen - seen.loc["red"]) / unit) ** 2).sum(axis=1) ** 0.5
    assert apart.drop("red").idxmin() == "large"
    assert apart["large"] < 0.75 * apart.drop(["red", "large"]).min()
    assert seen.loc["green", "colour_a"] < 0 < seen.loc["red", "colour_a"]
    assert (
        seen.loc["flat", "shape_eccentricity"] > 0.8 > seen.loc["red", "shape_eccentricity"] + 0.5
    )
    assert seen["texture_scale_1"].idxmax() == "checks"


def test_a_picture_is_described_as_people_see_it_and_alone(tmp_path):
    (tmp_path / "all").mkdir()
    clear = Image.new("RGBA", (200, 200), (0, 0, 0, 0))
    clear.paste(disc().crop((30, 30, 170, 170)), (30, 30))
    exif = Image.Exif()
    exif[0x0112] = 6  # the camera was held on its side
    turned = disc(squeezed=0.4).transpose(Image.Transpose.ROTATE_90)
    clear.save(tmp_path / "all" / "clear.png")
    turned.save(tmp_path / "all" / "turned.tiff", exif=exif)
    disc().save(tmp_path / "all" / "plain.png")
    disc(squeezed=0.4).save(tmp_path / "all" / "flat.tiff")
    Image.new("RGB", (9, 7), "navy").save(tmp_path / "all" / "one_colour.png")
    seen = table(tmp_path / "all")
    np.testing.assert_allclose(seen.loc["clear"], seen.loc["plain"], atol=1e-9)
    np.testing.assert_allclose(seen.loc["turned"], seen.loc["flat"], atol=1e-9)
    (tmp_path / "one").mkdir()
    disc().save(tmp_path / "one" / "plain.png")
    np.testing.assert_array_equal(table(tmp_path / "one").loc["plain"], seen.loc["plain"])


def test_sounds_are_told_apart_by_pitch_and_length(tmp_path):
    time = np.arange(44_100) / 44_100
    for hertz in (200, 2000):
        soundfile.write(tmp_path / f"{hertz}.wav", 0.3 * np.sin(2 * np.pi * hertz * time), 44_100)
    soundfile.write(tmp_path / "short.flac", 0.3 * np.sin(2 * np.pi * 200 * time[:400]), 44_100)
    seen = table(tmp_path)
    mel = seen.filter(regex=r"^mel_\d+$")
    assert mel.shape[1] == 20
    loudest = mel.to_numpy().argmax(axis=1)
    assert dict(zip(mel.index, loudest, strict=True))["2000"] > loudest[0]
    assert seen["duration"].idxmin() == "short"
    assert seen.loc["200", "duration"] == pytest.approx(0.0)
    with pytest.raises(ResemblanceError, match="sound"):
        rs.describe_stimuli(tmp_path, network="some.onnx")


@pytest.fixture
def network(tmp_path):
    """A network whose two outputs are the mean of red, and of green less blue, of 8 x 8 pixels."""
    shape = helper.make_tensor_value_info
    weights = numpy_helper.from_array(
        np.array([[1, 0, 0], [0, 1, -1]], np.float32).reshape(2, 3, 1, 1), "w"
    )
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "w"], ["y"])],
        "colours",
        [shape("x", TensorProto.FLOAT, ["n", 3, 8, 8])],
        [shape("y", TensorProto.FLOAT, ["n", 2, 8, 8])],
        [weights],
    )
    path = tmp_path / "colours.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    save(model, path)
    return path


def test_a_network_says_what_it_computes(tmp_path, network):
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (30, 20), (255, 51, 102)).save(tmp_path / "pictures" / "pink.png")
    digits = sha256(network.read_bytes()).hexdigest()
    seen = table(tmp_path / "pictures", network=network, checksum=digits.upper())
    red, green, blue = (np.array([255, 51, 102]) / 255 - [0.485, 0.456, 0.406]) / [
        0.229,
        0.224,
        0.225,
    ]
    np.testing.assert_allclose(seen.loc["pink"], [red, green - blue], rtol=1e-4)
    for source, checksum in (
        (network, "0" * 64),
        (tmp_path / "none.onnx", None),
        (tmp_path / "pictures" / "pink.png", None),
        ("https://example.org/net.onnx", None),
        ("http://example.org/net.onnx", "0" * 64),
    ):
        with pytest.raises(ResemblanceError):
            rs.describe_stimuli(tmp_path / "pictures", network=source, checksum=checksum)


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A server of a folder over TLS, whose certificate is trusted; its address, folder and log."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.now(UTC)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    pem = tmp_path / "both.pem"
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    pem.write_bytes(private + certificate.public_bytes(Encoding.PEM))
    asked = []

    class Served(SimpleHTTPRequestHandler):
        def log_request(self, code="-", size="-"):
            asked.append((self.path, int(code)))

        def log_error(self, *_):
            pass

    (folder := tmp_path / "served").mkdir()
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Served, directory=folder)) as http:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(pem)
        http.socket = context.wrap_socket(http.socket, server_side=True)
        Thread(target=http.serve_forever, args=(0.01,), daemon=True).start()
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(pem))
        monkeypatch.setenv("NO_PROXY", "localhost")
        yield f"https://localhost:{http.server_port}", folder, asked
        http.shutdown()


def test_a_network_is_fetched_once_and_is_the_one_that_was_meant(
    tmp_path, network, server, monkeypatch
):
    (tmp_path / "pictures").mkdir()
    Image.new("RGB", (8, 8), "red").save(tmp_path / "pictures" / "red.png")
    address, folder, asked = server
    shutil.copy(network, folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))

    def kept():
        return sorted(path.name for path in (tmp_path / "cache").rglob("*") if path.is_file())

    def describe(name, checksum):
        return table(tmp_path / "pictures", network=f"{address}/{name}", checksum=checksum)

    digits = sha256(network.read_bytes()).hexdigest()
    for name, checksum, code in (("colours.onnx", "0" * 64, 200), ("none.onnx", digits, 404)):
        with pytest.raises(FileError, match=name):
            describe(name, checksum)
        assert asked.pop() == (f"/{name}", code)
        assert not kept()
    here = table(tmp_path / "pictures", network=network)
    for _ in range(2):
        pd.testing.assert_frame_equal(describe("colours.onnx", digits.upper()), here)
    assert asked == [("/colours.onnx", 200)]
    assert len(kept()) == 1
    monkeypatch.delenv("REQUESTS_CA_BUNDLE")  # then nobody vouches for the server
    with pytest.raises(FileError):
        describe("colours.onnx?again", digits)
    assert len(kept()) == len(asked) == 1


def test_what_cannot_be_described_is_named(tmp_path):
    with pytest.raises(ResemblanceError, match="not a folder"):
        rs.describe_stimuli(tmp_path / "none")
    with pytest.raises(ResemblanceError, match="empty"):
        rs.describe_stimuli(tmp_path)
    for name in ("broken.png", "broken.wav", "film.mp4"):
        (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(ResemblanceError, match=name):
            rs.describe_stimuli(tmp_path)
        (tmp_path / name).unlink()
    disc().save(tmp_path / "a.png")
    soundfile.write(tmp_path / "b.wav", np.zeros(9), 8000)
    with pytest.raises(ResemblanceError, match="pictures and sounds"):
        rs.describe_stimuli(tmp_path)


def test_what_systems_leave_among_pictures_is_skipped_and_counted(tmp_path):
    disc().save(tmp_path / "a.png")
    disc("blue").save(tmp_path / "b.png")
    for name in ("thumbs.db", "._a.png", "~$b.png", ".DS_Store"):
        (tmp_path / name).write_bytes(b"x")
    with pytest.warns(ResemblanceWarning, match="4 files"):
        assert rs.describe_stimuli(tmp_path).names == ("a", "b")
