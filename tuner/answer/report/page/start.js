// Brings the page to life. All that it replaces is there without it.
const find = (id) => document.getElementById(id);
const card = html('section', {id: 'trial', class: 'pinned', 'aria-label': 'Pinned trial'});
function pin(i) {
  showTrial(card, i);
  card.querySelector('h3').focus({preventScroll: card.getBoundingClientRect().top >= 0});
  history.replaceState(null, '', '#trial-' + trials.index[i]);
}
/// The trial that the address names: a link to it can be sent.
function namedTrial() {
  const named = location.hash.match(/^#trial-(\d+)$/);
  return named ? place.get(Number(named[1])) : undefined;
}
find('all-trials').before(card);
document.querySelectorAll('.figure').forEach((frame) => enliven(frame, pin));
const first = namedTrial() ?? best;
if (first !== undefined) showTrial(card, first);
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
