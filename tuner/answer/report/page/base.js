// What all parts of a page share: its data, elements, and figures as the program writes them.
const data = JSON.parse(document.getElementById('data').textContent);

function put(element, attributes, children) {
  for (const name in attributes) {
    const value = attributes[name];
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value);
  }
  element.append(...children.filter((one) => one !== null && one !== undefined));
  return element;
}
/// An element of HTML; texts are texts, never markup.
function html(tag, attributes, ...children) {
  return put(document.createElement(tag), attributes, children);
}
function svg(tag, attributes, ...children) {
  return put(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children);
}

function significant(value, digits) {
  if (!isFinite(value) || value === 0) return String(value);
  const size = Math.floor(Math.log10(Math.abs(value)));
  if (size < -5 || size > 8) return value.toExponential(digits - 1);
  return value.toFixed(Math.max(0, digits - 1 - size));
}
/// Each prefix with the value from which on it is used.
const large = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
  [1, ''],
];
const small = [
  [1, 's'],
  [1e-3, 'ms'],
  [1e-6, 'us'],
  [1e-9, 'ns'],
];
const prefix = (table, value) => table.find((one) => value >= 0.9995 * one[0]) || table[table.length - 1];

function secondsText(seconds) {
  if (!(seconds > 0)) return '0 s';
  const unit = prefix(small, seconds);
  return significant(seconds / unit[0], 4) + ' ' + unit[1];
}
// The figure of a program that is no time; trials hold it as one.
const ownFigure = data.result?.study?.own_figure;
const figureOf = (seconds) => (ownFigure.more ? ownFigure.scale / seconds : ownFigure.scale * seconds);
const figureUnit = ownFigure && ownFigure.unit ? ' ' + ownFigure.unit : '';
const figureText = (seconds) =>
  ownFigure && seconds > 0 ? significant(figureOf(seconds), 4) + figureUnit : secondsText(seconds);
const figureName = ownFigure
  ? `${ownFigure.unit || 'figure'}, ${ownFigure.more ? 'more' : 'less'} is better`
  : 'time per call';
const ratioText = (ratio) => significant(ratio, ratio < 10 ? 3 : 4) + 'x';
const unitText = (unit) => (unit === 'flop' ? 'FLOP/s' : unit === 'B' ? 'B/s' : ' ' + unit + '/s');
function rateText(rate, unit) {
  const scale = prefix(large, rate);
  return significant(rate / scale[0], 3) + ' ' + scale[1] + unitText(unit).trimStart();
}
const spoken = (word) => word.replace(/_/g, ' ');

/// Dots as one path: ten thousand elements would be slow.
const dots = (points) => points.map((p) => `M${p[0].toFixed(1)} ${p[1].toFixed(1)}h0`).join('');

function median(values) {
  const sorted = Float64Array.from(values).sort();
  return sorted.length ? sorted[(sorted.length - 1) >> 1] : NaN;
}

const measure = document.createElement('canvas').getContext('2d');
function textWidth(text, size, bold) {
  measure.font = `${bold ? 600 : 400} ${size}px system-ui, sans-serif`;
  return measure.measureText(text).width;
}

/// Copies a text, and says so on the button for a moment.
async function copy(button, text) {
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'copied';
  } catch {
    button.textContent = 'not allowed here';
  }
  setTimeout(() => {
    button.textContent = label;
  }, 1500);
}
const copyButton = (label, text) => html('button', {type: 'button', onclick: (e) => copy(e.target, text())}, label);

function download(name, type, text) {
  const link = html('a', {href: URL.createObjectURL(new Blob([text], {type})), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
