/** Where the page begins. */
import './style/tokens.css';
import './style/base.css';
import './style/shell.css';
import './style/conversation.css';
import './style/hml.css';
import './style/touch.css';
import './view/pages/house';
import { followPresses } from './element/long-press';
import { applyTheme } from './store/theme';
import { house } from './store/house';
import { followLinks } from './store/place';
import { keepPage } from './worker/register';

applyTheme();
followPresses();
document.addEventListener('click', followLinks);
for (const event of ['online', 'focus']) window.addEventListener(event, () => house.socket.wake());
window.addEventListener('popstate', () => window.dispatchEvent(new Event('place')));
void house.begin();
keepPage();
