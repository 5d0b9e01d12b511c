// Brings the page to life. All that it replaces is there without it.
const find = (id) => document.getElementById(id);
const said = html('div', {class: 'quiet', 'aria-live': 'polite'});
document.querySelector('main').append(said);

const card = html('section', {id: 'trial', class: 'pinned', 'aria-label': 'Pinned trial'});
let drawn = null;
function pin(i) {
  showTrial(card, i);
  if (drawn) drawn.select(i);
  card.querySelector('h3').focus({preventScroll: card.getBoundingClientRect().top >= 0});
  history.replaceState(null, '', '#trial-' + trials.index[i]);
}
/// The trial that the address names: a link to it can be sent.
function namedTrial() {
  const named = location.hash.match(/^#trial-(\d+)$/);
  return named ? place.get(Number(named[1])) : undefined;
}
if (chart) {
  const host = find('chart');
  drawn = roofline(host, studyScene(pin), (text) => {
    said.textContent = text;
  });
  host.after(card);
} else {
  find('all-trials').before(card);
}
const first = namedTrial() ?? best;
if (first !== undefined) showTrial(card, first);
if (drawn && first !== undefined) drawn.select(first);
addEventListener('hashchange', () => {
  const named = namedTrial();
  if (named !== undefined) pin(named);
});
if (count) {
  trialTable(find('all-trials'), pin);
  if (measured.length > 1) knobsSection(find('knobs'));
}
costPicture(find('cost'));

/// A word that is explained in a fold opens it.
function openWord() {
  const word = location.hash.startsWith('#word-') ? find(location.hash.slice(1)) : null;
  const fold = word ? word.closest('details') : null;
  if (!fold || fold.open) return;
  fold.open = true;
  word.scrollIntoView();
}
addEventListener('hashchange', openWord);
openWord();

const file = data.result.kernel.replace(/[^\w.-]/g, '_');
find('tools').replaceChildren(
  ...(best === undefined
    ? []
    : [
        copyButton('copy configuration', () => JSON.stringify(data.result.best.configuration, null, 2)),
        ...(recorded ? [] : [copyButton('copy export command', () => data.commands.export)]),
      ]),
  html('button', {type: 'button', onclick: () => download(file + '.json', 'application/json', json())}, 'JSON'),
  html('button', {type: 'button', onclick: () => download(file + '.csv', 'text/csv', csv())}, 'CSV'),
);
document.documentElement.dataset.ready = '1';
