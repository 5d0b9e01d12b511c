// Labels that keep clear of each other, and what pointer, keys and buttons do to the chart.

/// Pieces of a text's rectangle along its line, so that a slanted one takes no more than its own place.
function labelBoxes(x, y, angle, width, height) {
  const pieces = Math.max(1, Math.ceil(width / (height * (Math.abs(Math.sin(angle)) > 0.05 ? 1 : 8))));
  const boxes = [];
  for (let k = 0; k < pieces; ++k) {
    const along = ((k + 0.5) / pieces) * width - width / 2;
    const cx = x + Math.cos(angle) * along,
      cy = y + Math.sin(angle) * along,
      half = width / pieces / 2;
    const w = Math.abs(Math.cos(angle)) * half + (Math.abs(Math.sin(angle)) * height) / 2;
    const h = Math.abs(Math.sin(angle)) * half + (Math.abs(Math.cos(angle)) * height) / 2;
    boxes.push([cx - w, cy - h, cx + w, cy + h]);
  }
  return boxes;
}
const overlaps = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

/// Where a text may go: above and below its line, or about its point; the best places first.
function labelPlaces(text, width, height, room) {
  const places = [];
  if (text.at) {
    for (const dy of [0, -14, 14, -26, 26, -40, 40, -56, 56])
      for (const side of [1, -1, 0])
        if (side || dy) places.push([text.at[0] + side * (11 + width / 2), text.at[1] + dy * (side ? 1 : 1.4), 0]);
    return places;
  }
  let {x0, y0, x1, y1} = text.drawn;
  // What can be seen of the line; then from its right end for level lines, from the left for slanted ones.
  if (x0 !== x1) {
    const slope = (y1 - y0) / (x1 - x0),
      at = (y) => x0 + (y - y0) / slope;
    const [left, right] = slope === 0 ? [x0, x1] : [Math.max(x0, at(room[3])), Math.min(x1, at(room[1]))];
    [x0, y0, x1, y1] = [left, y0 + slope * (left - x0), right, y0 + slope * (right - x0)];
  }
  const length = Math.hypot(x1 - x0, y1 - y0),
    angle = Math.atan2(y1 - y0, x1 - x0);
  const first = width / 2 + 6,
    last = length - width / 2 - 6;
  for (const side of [-1, 1])
    for (let step = 0; first + step <= last; step += 9) {
      const along = Math.abs(angle) < 0.02 ? last - step : first + step;
      places.push([
        x0 + Math.cos(angle) * along - Math.sin(angle) * side * height * 0.62,
        y0 + Math.sin(angle) * along + Math.cos(angle) * side * height * 0.62,
        angle,
      ]);
    }
  return places;
}

/// Puts the texts, the weightiest first, where nothing is in their way; what finds no place tells its name on hover.
function placeLabels(layer, texts, taken, room) {
  const boxes = [...taken];
  const fontSize = 11,
    height = 14;
  for (const text of [...texts].sort((a, b) => b.weight - a.weight)) {
    if (text.weight < 1) continue;
    const width = textWidth(text.text, fontSize, text.bold) + 4;
    for (const [x, y, angle] of labelPlaces(text, width, height, room)) {
      const own = labelBoxes(x, y, angle, width, height);
      const free = own.every(
        (box) =>
          box[0] >= room[0] &&
          box[1] >= room[1] &&
          box[2] <= room[2] &&
          box[3] <= room[3] &&
          !boxes.some((other) => overlaps(box, other)),
      );
      if (!free) continue;
      boxes.push(...own);
      layer.append(
        svg(
          'text',
          {
            class: 'rt-halo label ' + text.class,
            'font-size': fontSize,
            'text-anchor': 'middle',
            'font-weight': text.bold ? 600 : null,
            transform: `translate(${x} ${y}) rotate(${(angle * 180) / Math.PI})`,
            dy: 4,
          },
          text.text,
        ),
      );
      break;
    }
  }
}

/// The nearest point within reach, else the nearest line: {point} or {line} or nothing.
function nearest(x, y, points, lines) {
  let found = -1,
    least = 14 * 14;
  points.forEach((p, i) => {
    const d = p ? (p[0] - x) ** 2 + (p[1] - y) ** 2 : Infinity;
    if (d < least) [found, least] = [i, d];
  });
  if (found >= 0) return {point: found};
  let line = null,
    reach = 6;
  for (const one of lines) {
    const dx = one.x1 - one.x0,
      dy = one.y1 - one.y0;
    const along = ((x - one.x0) * dx + (y - one.y0) * dy) / (dx * dx + dy * dy);
    if (along < 0 || along > 1) continue;
    const d = Math.abs((x - one.x0) * dy - (y - one.y0) * dx) / Math.hypot(dx, dy);
    if (d < reach) [line, reach] = [one.line, d];
  }
  return line ? {line} : {};
}

function chartInput(parts) {
  const {picture, tip, state, zoom, pan, reset, show, showTip, plane} = parts;
  const {inOrder, bySpeed, pin} = parts.scene;
  const where = (e) => {
    const box = picture.getBoundingClientRect();
    return [e.clientX - box.left, e.clientY - box.top];
  };
  let drag = null;
  picture.addEventListener('pointerdown', (e) => {
    drag = {x: e.clientX, y: e.clientY, moved: false};
  });
  picture.addEventListener('pointermove', (e) => {
    if (drag && e.buttons === 1) {
      if (!drag.moved && Math.hypot(e.clientX - drag.x, e.clientY - drag.y) < 5) return;
      if (!drag.moved) picture.setPointerCapture(e.pointerId);
      pan((drag.x - e.clientX) / plane.width, (e.clientY - drag.y) / plane.height);
      drag = {x: e.clientX, y: e.clientY, moved: true};
      tip.hidden = true;
      return;
    }
    const at = where(e),
      hit = nearest(...at, parts.points(), parts.lines());
    if (hit.point !== undefined) show(hit.point, at);
    else if (hit.line) showTip(at, hit.line.hover.split('\n'));
    else tip.hidden = true;
  });
  picture.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
  picture.addEventListener('pointercancel', () => {
    drag = null;
  });
  picture.addEventListener('click', (e) => {
    const moved = drag && drag.moved;
    drag = null;
    if (moved) return;
    const hit = nearest(...where(e), parts.points(), parts.lines());
    if (hit.point !== undefined) {
      show(hit.point, where(e));
      pin(hit.point);
    }
  });
  // A page must scroll under the wheel: the chart takes it once it was clicked, or with Ctrl.
  picture.addEventListener(
    'wheel',
    (e) => {
      if (!e.ctrlKey && document.activeElement !== picture) return;
      e.preventDefault();
      zoom(e.deltaY < 0 ? 1.25 : 0.8, ...where(e));
    },
    {passive: false},
  );
  picture.addEventListener('dblclick', (e) => zoom(2, ...where(e)));
  picture.addEventListener('blur', () => {
    tip.hidden = true;
  });

  function move(list, by) {
    if (!list.length) return;
    const at = list.indexOf(state.at);
    show(list[at < 0 ? list.length - 1 : Math.max(0, Math.min(list.length - 1, at + by))]);
  }
  const keys = {
    ArrowLeft: (shift) => (shift ? pan(-0.1, 0) : move(inOrder, -1)),
    ArrowRight: (shift) => (shift ? pan(0.1, 0) : move(inOrder, 1)),
    ArrowUp: (shift) => (shift ? pan(0, 0.1) : move(bySpeed, 1)),
    ArrowDown: (shift) => (shift ? pan(0, -0.1) : move(bySpeed, -1)),
    '+': () => zoom(1.25),
    '=': () => zoom(1.25),
    '-': () => zoom(0.8),
    0: reset,
    Enter: () => state.at !== undefined && pin(state.at),
    ' ': () => state.at !== undefined && pin(state.at),
    Escape: () => {
      tip.hidden = true;
    },
  };
  picture.addEventListener('keydown', (e) => {
    if (e.ctrlKey || e.altKey || e.metaKey || !keys[e.key]) return;
    e.preventDefault();
    keys[e.key](e.shiftKey);
  });
}

/// The colour of a mark, in front of its name.
const swatch = (look) =>
  svg('svg', {width: 12, height: 12, 'aria-hidden': 'true'}, svg('circle', {cx: 6, cy: 6, r: 5, ...look}));

function chartControls(scene, state, draw, view) {
  const button = (label, name, act) =>
    html('button', {type: 'button', 'aria-label': name, title: name, onclick: act}, label);
  const boxes = scene.groups.map((group) => {
    const box = html('input', {
      type: 'checkbox',
      checked: state.groups.has(group.key) ? '' : null,
      onchange: () => {
        if (box.checked) state.groups.add(group.key);
        else state.groups.delete(group.key);
        draw();
      },
    });
    const many = scene.lines.filter(group.has).length;
    return html('label', {}, box, many && group.key.startsWith('all-') ? `${group.name} (${many})` : group.name);
  });
  return html(
    'div',
    {class: 'controls'},
    html(
      'div',
      {class: 'row'},
      html(
        'span',
        {class: 'buttons'},
        button('+', 'zoom in', () => view.zoom(1.25)),
        button('\u2212', 'zoom out', () => view.zoom(0.8)),
        button('reset', 'reset the view', view.reset),
      ),
      ...(scene.controls ? scene.controls(draw) : []),
    ),
    html(
      'details',
      {open: innerWidth > 700 ? '' : null},
      html('summary', {}, 'What is drawn'),
      html('fieldset', {class: 'row'}, html('legend', {class: 'quiet'}, 'Drawn'), ...boxes),
    ),
  );
}
