/** Begins the page in a browser, where the browser lets it work. */

const root = document.querySelector('#page');
if (root === null) throw new Error('the page has no place to be drawn');
// The parts of the page need what a browser gives only to a secure context, such as locks, and some need it when they are loaded.
if (isSecureContext) await (await import('./begin.js')).beginPage(root);
else root.textContent = 'This name needs https: have the tunnel answer by https, or reach the page as localhost.';

export {};
