/** Begins the page in a browser. */
import { render } from 'preact';
import { App } from './app.js';
import { signInAtStart } from './state/session.js';
import { followStream } from './state/stream.js';

const root = document.querySelector('#page');
if (root === null) throw new Error('the page has no place to be drawn');
await signInAtStart();
root.replaceChildren();
render(<App />, root);
void followStream();
