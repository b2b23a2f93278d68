/** Search and zoom for a flame graph where scripts run. Its controls are made here: a page without scripts has none. */
export const flameScript = `
const flame = document.querySelector('svg.flame');
const boxes = [...flame.querySelectorAll('.f')].map((element) => ({
  element,
  from: Number(element.dataset.from),
  share: Number(element.dataset.share),
  name: element.querySelector('title').textContent.split('\\n')[0].toLowerCase(),
  text: element.querySelector('text'),
}));
const bar = document.createElement('form');
bar.className = 'tools';
bar.innerHTML = '<label>Search <input type="search" autocomplete="off" spellcheck="false"></label>'
  + '<button type="button" hidden>Whole profile</button><output></output>';
const [field, whole, found] = [bar.querySelector('input'), bar.querySelector('button'), bar.querySelector('output')];
flame.closest('.chart').before(bar);
let [left, width] = [0, 1];

function place() {
  const pixels = flame.clientWidth;
  for (const { element, from, share, text } of boxes) {
    const begin = Math.max(0, (from - left) / width);
    const end = Math.min(1, (from + share - left) / width);
    element.style.display = end - begin > 1e-7 ? '' : 'none';
    element.setAttribute('x', 100 * begin + '%');
    element.setAttribute('width', 100 * Math.max(0, end - begin) + '%');
    text.style.display = (end - begin) * pixels < 26 ? 'none' : 'inline';
  }
  whole.hidden = width === 1;
}

function search() {
  const wanted = field.value.trim().toLowerCase();
  const hits = wanted === '' ? [] : boxes.filter(({ name }) => name.includes(wanted));
  for (const { element, name } of boxes) element.classList.toggle('dim', wanted !== '' && !name.includes(wanted));
  let [sum, until] = [0, 0];
  for (const { from, share } of hits.sort((a, b) => a.from - b.from || b.share - a.share)) {
    sum += Math.max(0, from + share - Math.max(from, until));
    until = Math.max(until, from + share);
  }
  found.textContent = wanted === '' ? '' : hits.length + (hits.length === 1 ? ' box, ' : ' boxes, ') + (100 * sum).toFixed(1) + ' % together';
}

function zoom(to) {
  [left, width] = to ? [to.from, to.share] : [0, 1];
  place();
}

flame.addEventListener('click', (event) => {
  const element = event.target.closest('.f');
  zoom(boxes.find((box) => box.element === element));
});
whole.addEventListener('click', () => zoom());
field.addEventListener('input', search);
bar.addEventListener('submit', (event) => event.preventDefault());
addEventListener('keydown', ({ key }) => {
  if (key !== 'Escape') return;
  field.value = '';
  search();
  zoom();
});
addEventListener('resize', place);
place();
`;
