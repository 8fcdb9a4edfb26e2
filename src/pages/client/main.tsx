import { render } from 'preact';
import { App } from './app.js';
import { signInByLink } from './frame/session.js';
import { applyTheme } from './frame/theme.js';

applyTheme();
void signInByLink().then(() => render(<App />, document.body));
