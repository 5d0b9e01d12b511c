// Pictures of a page: marks of the same step or ceiling light up together, and a picture is zoomed and moved. The
// program drew the picture; its groups name themselves by data-stair, data-limit and data-trials.
const told = html('p', {class: 'sub told', 'aria-live': 'polite'});
let lit = [];

/// All that shows the same step or ceiling, in every picture and in the table.
function alike(mark) {
  const {stair, limit} = mark.dataset;
  const wanted = stair !== undefined ? `[data-stair="${stair}"]` : `[data-limit="${CSS.escape(limit)}"]`;
  const row = stair !== undefined ? document.querySelectorAll('table.staircase tbody tr')[stair] : null;
  return [...document.querySelectorAll(wanted), ...(row ? [row] : [])];
}
function light(mark) {
  lit.forEach((one) => one.classList.remove('lit'));
  lit = mark ? alike(mark) : [];
  lit.forEach((one) => one.classList.add('lit'));
  const title = mark && mark.querySelector('title');
  if (!title) return;
  told.textContent = title.textContent.split('\n').join('; ');
  mark.closest('.figure').after(told);
}

/// Shows the part about the point (x, y), in shares of the visible part, `factor` times as large.
function zoomed(picture, factor, x = 0.5, y = 0.5) {
  const whole = picture.dataset.whole.split(' ').map(Number);
  const [left, top, width, height] = picture.getAttribute('viewBox').split(' ').map(Number);
  const wide = Math.min(whole[2], Math.max(whole[2] / 30, width / factor)), high = (wide * whole[3]) / whole[2];
  moved(picture, [left + x * (width - wide), top + y * (height - high), wide, high]);
}
/// Keeps the visible part inside the picture.
function moved(picture, [left, top, width, height]) {
  const whole = picture.dataset.whole.split(' ').map(Number);
  const within = (at, size, all) => Math.max(0, Math.min(at, all - size));
  picture.setAttribute('viewBox', [within(left, width, whole[2]), within(top, height, whole[3]), width, height].join(' '));
}
function shift(picture, dx, dy) {
  const [left, top, width, height] = picture.getAttribute('viewBox').split(' ').map(Number);
  moved(picture, [left + dx * width, top + dy * height, width, height]);
}

/// The trial of a dot near this place, its place in the data; `path`: dots in the order of trials that ran.
function nearestTrial(picture, path, e) {
  const at = new DOMPoint(e.clientX, e.clientY).matrixTransform(picture.getScreenCTM().inverse());
  let found, least = 14 * 14;
  [...path.getAttribute('d').matchAll(/M([\d.]+) ([\d.]+)/g)].forEach((dot, k) => {
    const far = (dot[1] - at.x) ** 2 + (dot[2] - at.y) ** 2;
    if (far < least) [found, least] = [measured[k], far];
  });
  return found;
}

function enliven(frame, pin) {
  const picture = frame.querySelector('svg'), dots = picture.querySelector('[data-trials] path');
  picture.dataset.whole = picture.getAttribute('viewBox');
  const marks = [...picture.querySelectorAll('[data-stair]')];
  const markOf = (e) => e.target.closest('[data-stair],[data-limit]');
  let at = -1, drag = null;
  picture.addEventListener('pointerover', (e) => markOf(e) && light(markOf(e)));
  picture.addEventListener('click', (e) => {
    if (markOf(e)) light(markOf(e));
    const trial = dots ? nearestTrial(picture, dots, e) : undefined;
    if (trial !== undefined) pin(trial);
  });
  picture.addEventListener('pointerdown', (e) => {
    drag = [e.clientX, e.clientY];
  });
  picture.addEventListener('pointermove', (e) => {
    if (!drag || e.buttons !== 1) return;
    shift(picture, (drag[0] - e.clientX) / picture.clientWidth, (drag[1] - e.clientY) / picture.clientHeight);
    drag = [e.clientX, e.clientY];
  });
  // A page must scroll under the wheel: the picture takes it with Ctrl.
  const wheel = (e) => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    const box = picture.getBoundingClientRect();
    zoomed(picture, e.deltaY < 0 ? 1.25 : 0.8, (e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height);
  };
  picture.addEventListener('wheel', wheel, {passive: false});
  const step = (by) => {
    at = Math.max(0, Math.min(marks.length - 1, at + by));
    if (marks[at]) light(marks[at]);
  };
  const keys = {
    ArrowRight: (e) => (e.shiftKey ? shift(picture, 0.1, 0) : step(1)),
    ArrowLeft: (e) => (e.shiftKey ? shift(picture, -0.1, 0) : step(-1)),
    ArrowUp: () => shift(picture, 0, -0.1),
    ArrowDown: () => shift(picture, 0, 0.1),
    '+': () => zoomed(picture, 1.25),
    '-': () => zoomed(picture, 0.8),
    0: () => zoomed(picture, 0),
  };
  frame.addEventListener('keydown', (e) => {
    const move = e.ctrlKey || e.altKey || e.metaKey ? null : keys[e.key];
    // Where all of it is shown, the arrows scroll the page.
    const whole = picture.getAttribute('viewBox') === picture.dataset.whole;
    if (!move || (whole && (e.key === 'ArrowUp' || e.key === 'ArrowDown'))) return;
    e.preventDefault();
    move(e);
  });
}
