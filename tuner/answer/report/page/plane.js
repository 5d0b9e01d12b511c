// A plane with logarithmic axes, and the lines of ceilings on it.

/// The plot area in pixels, and what of the chart it shows in log10: [x0, x1, y0, y1].
class Plane {
  constructor(view) {
    this.start = [...view];
    this.view = [...view];
    this.resize(900, 520);
  }
  resize(width, height) {
    Object.assign(this, {width, height, left: 58, top: 8, right: width - 10, bottom: height - 46});
  }
  x(log) {
    return this.left + ((log - this.view[0]) / (this.view[1] - this.view[0])) * (this.right - this.left);
  }
  y(log) {
    return this.bottom - ((log - this.view[2]) / (this.view[3] - this.view[2])) * (this.bottom - this.top);
  }
  /// Of a value on the axis itself.
  of(point) {
    return [this.x(Math.log10(point.x)), this.y(Math.log10(point.y))];
  }
  zoomed() {
    return (this.start[1] - this.start[0]) / (this.view[1] - this.view[0]);
  }
}

const stroke = (style, d, more) => svg('path', {class: style, d, fill: 'none', ...more});
const words = (style, x, y, anchor, text, more) =>
  svg('text', {class: style, x, y, 'text-anchor': anchor, 'font-size': 11, ...more}, text);

const star = 'M0-9L2.3-2.9L8.6-2.8L3.6 1.2L5.3 7.3L0 3.8L-5.3 7.3L-3.6 1.2L-8.6-2.8L-2.3-2.9Z';
const square = 'M-5.5-5.5h11v11h-11Z';

/// A raced time with its interval, `mark` at its place; returns that.
function drawRacedPoint(plane, layer, point, line, mark) {
  const [x, y] = plane.of(point);
  const [low, high] = [point.low, point.high].map((value) => plane.y(Math.log10(value)));
  layer.append(stroke(line, `M${x} ${low}V${high}`, {'stroke-width': 1.4}));
  layer.append(put(mark, {transform: `translate(${x} ${y})`}, []));
  return [x, y];
}

/// `scale`: of the speeds, as [factor, prefix]; `note`: whose intensity it is.
function drawAxes(plane, layer, scale, unit, note) {
  const {left, top, right, bottom} = plane;
  layer.append(svg('rect', {class: 'rt-panel', x: left, y: top, width: right - left, height: bottom - top}));
  const grid = (digit) => (digit ? 'rt-grid' : 'rt-grid-minor');
  for (const [at, digit] of logTicks(plane.view[0], plane.view[1], plane.width / 70)) {
    layer.append(stroke(grid(digit), `M${plane.x(at)} ${top}V${bottom}`));
    if (digit) layer.append(words('rt-soft', plane.x(at), bottom + 16, 'middle', tickText(10 ** at)));
  }
  for (const [at, digit] of logTicks(plane.view[2], plane.view[3], plane.height / 30)) {
    layer.append(stroke(grid(digit), `M${left} ${plane.y(at)}H${right}`));
    if (digit) layer.append(words('rt-soft', left - 6, plane.y(at) + 4, 'end', tickText(10 ** at / scale[0])));
  }
  const title = {'font-size': 12};
  const turned = {...title, transform: `translate(14 ${(top + bottom) / 2}) rotate(-90)`};
  layer.append(
    stroke('rt-axis', `M${left} ${top}V${bottom}H${right}`),
    words('rt-ink', (left + right) / 2, bottom + 36, 'middle', `intensity [${unit}/B]${note}`, title),
    words('rt-ink', 0, 0, 'middle', `performance [${(scale[1] + unitText(unit)).trim()}]`, turned),
  );
}

/// The heavier is drawn later and labelled first: 4 binds or is meant for the kernel, 1 says enough to have a label.
const weight = (line) => (line.binding || line.own ? 4 : line.next ? 3 : line.roof ? 2 : line.typical ? 1 : 0);

/// Lines from edge to edge, cut off at the outermost that are shown.
function lineSpans(plane, some) {
  const fastest = (diagonal) => Math.max(...some.filter((l) => l.diagonal === diagonal).map((l) => l.rate), 0);
  const peak = fastest(false), steep = fastest(true);
  /// In log10: [x0, y0, x1, y1].
  return (line, rate) => {
    const [x0, x1, y0] = plane.view, y = Math.log10(rate);
    if (!line.diagonal) return [steep ? Math.max(x0, y - Math.log10(steep)) : x0, y, x1, y];
    const to = Math.min(x1, (peak ? Math.log10(peak) : Infinity) - y);
    const from = Math.max(x0, y0 - y);
    return [from, from + y, to, to + y];
  };
}

/// Draws the lines and returns where they are; what wants a label goes to `texts`. `style`: the classes of a line as
/// {line, area, text}.
function drawLines(plane, layer, texts, some, style, bands) {
  const span = lineSpans(plane, some), drawn = [];
  for (const line of [...some].sort((a, b) => weight(a) - weight(b))) {
    const [x0, y0, x1, y1] = span(line, line.rate);
    if (x1 <= x0 || Math.max(y0, y1) < plane.view[2] || Math.min(y0, y1) > plane.view[3]) continue;
    const look = style(line), strong = weight(line) >= 2;
    if (bands && weight(line) >= 3 && line.high > line.low) {
      const low = span(line, line.low), high = span(line, line.high);
      const corners = [low.slice(0, 2), low.slice(2), high.slice(2), high.slice(0, 2)];
      const points = corners.map(([x, y]) => `${plane.x(x)},${plane.y(y)}`).join(' ');
      layer.append(svg('polygon', {class: look.area, opacity: 0.1, points}));
    }
    const at = {line, x0: plane.x(x0), y0: plane.y(y0), x1: plane.x(x1), y1: plane.y(y1)};
    layer.append(stroke(look.line, `M${at.x0} ${at.y0}L${at.x1} ${at.y1}`, {
      'stroke-width': weight(line) === 4 ? 3 : strong ? 2 : 0.8,
      'stroke-dasharray': line.applies ? (line.state === 'broken' ? '7 3' : null) : '2 4',
      opacity: strong ? 1 : 0.55,
    }));
    drawn.push(at);
    const text = `${line.words}  ${line.label}`;
    texts.push({drawn: at, weight: weight(line), class: look.text, bold: weight(line) === 4, text});
  }
  return drawn;
}
