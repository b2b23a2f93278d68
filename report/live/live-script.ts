/** Keeps the live page as the server has it: parts come whole, by their ids. Times are shown by the reader's clock. */
export const liveScript = `
const lost = document.getElementById('lost');
const pad = (value) => String(value).padStart(2, '0');

function lasting(seconds) {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  return hours > 0 ? hours + ' h ' + pad(minutes) + ' min'
    : minutes > 0 ? minutes + ' min ' + pad(seconds % 60) + ' s' : seconds + ' s';
}

function showTimes() {
  for (const time of document.querySelectorAll('time[data-show]')) {
    const at = new Date(time.dateTime);
    const seconds = Math.round((at - Date.now()) / 1000);
    const { show } = time.dataset;
    const text = show === 'clock' ? at.toLocaleTimeString()
      : show === 'since' ? lasting(Math.max(0, -seconds)) : seconds > 0 ? lasting(seconds) : 'a moment';
    if (time.textContent !== text) time.textContent = text;
  }
}

const source = new EventSource('events' + location.search);
source.onopen = () => { lost.hidden = true; };
source.onerror = () => { lost.hidden = false; };
source.onmessage = ({ data }) => {
  const { title, parts } = JSON.parse(data);
  document.title = title;
  for (const [id, part] of parts) document.getElementById(id).innerHTML = part;
  showTimes();
};
source.addEventListener('end', () => source.close());
showTimes();
setInterval(showTimes, 1000);
`;
