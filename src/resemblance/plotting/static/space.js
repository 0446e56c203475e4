// The items in their full space: what is drawn of it, and who is near whom there.
class Space {
  constructor(contents) {
    this.contents = contents;
    this.n = contents.names.length;
    this.k = contents.points[0].length;
    this.points = Float64Array.from(contents.points.flat());
    this.flagged = new Set(contents.flagged);
  }

  // Inner products of the items with the weights of an axis.
  along(weights) {
    return Float64Array.from({ length: this.n }, (_, i) => {
      let sum = 0;
      for (let c = 0; c < this.k; c++) sum += this.points[i * this.k + c] * weights[c];
      return sum;
    });
  }

  distance(i, j) {
    let sum = 0;
    for (let c = 0; c < this.k; c++) sum += (this.points[i * this.k + c] - this.points[j * this.k + c]) ** 2;
    return Math.sqrt(sum);
  }

  // The items nearest to one, over all dimensions: an insertion into a short sorted list.
  nearest(item, count) {
    const found = [];
    for (let j = 0; j < this.n; j++) {
      if (j === item) continue;
      const distance = this.distance(item, j);
      if (found.length === count && distance >= found[count - 1].distance) continue;
      const place = found.findIndex((other) => distance < other.distance);
      found.splice(place < 0 ? found.length : place, 0, { item: j, distance });
      found.length = Math.min(found.length, count);
    }
    return found;
  }

  classOf(item) {
    const { classes, classOf } = this.contents;
    return classes ? classes[classOf[item]] : null;
  }

  image(item) {
    return this.contents.images && this.contents.images[item];
  }
}
