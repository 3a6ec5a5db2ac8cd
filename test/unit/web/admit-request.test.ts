/** Which requests are answered: pages of other sites and other origins, and names that were resolved to our address, get nothing. */
import { describe, expect, it } from '@jest/globals';
import { type AskedRequest, refuseRequest } from '../../../client/http/admit-request.js';

const OURS = '127.5.6.7:19233';
const NAMES = { address: OURS, hosts: ['page.example.org', 'page.example.org:8443'] };

const get = (...rawHeaders: readonly string[]): AskedRequest => ({ method: 'GET', target: '/api/runs', rawHeaders });
const statusOf = (asked: AskedRequest, isShell = false) => refuseRequest(asked, NAMES, isShell)?.status ?? 200;

describe('the host', () => {
  it.each([
    [[], 400],
    [['Host', OURS], 200],
    [['host', OURS.toUpperCase()], 200],
    [['Host', 'evil.test'], 403],
    [['Host', 'evil.test:19233'], 403],
    [['Host', 'localhost:19233'], 403],
    [['Host', '127.5.6.7'], 403],
    [['Host', `${OURS}.evil.test`], 403],
    [['Host', OURS, 'Host', OURS], 400],
    [['Host', OURS, 'HOST', 'evil.test'], 400],
    [['Host', `${OURS}, evil.test`], 403],
    [['Host', 'page.example.org'], 200],
    [['Host', 'Page.Example.org:8443'], 200],
    [['Host', 'page.example.org:9'], 403],
  ])('%j: %s', (headers, status) => {
    expect(statusOf(get(...headers))).toBe(status);
  });

  it.each(['http://evil.test/api/runs', 'evil.test', '*', ''])('a request line for %j is none of ours', (target) => {
    expect(statusOf({ ...get('Host', OURS), target })).toBe(400);
  });
});

describe('the origin', () => {
  it.each([
    [`http://${OURS}`, 200],
    [`http://${OURS}0`, 403],
    ['http://127.5.6.7:19234', 403],
    [`https://${OURS}`, 403],
    ['http://evil.test', 403],
    ['null', 403],
    ['', 403],
  ])('%j: %s', (origin, status) => {
    expect(statusOf(get('Host', OURS, 'Origin', origin))).toBe(status);
  });

  it('of a tunnel may be https', () => {
    const host = 'page.example.org';
    expect(statusOf(get('Host', host, 'Origin', `https://${host}`))).toBe(200);
    expect(statusOf(get('Host', host, 'Origin', `https://${host}.evil.test`))).toBe(403);
  });
});

describe('the site', () => {
  const visit = ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'document'];
  it.each([
    ['same-origin', 200],
    ['none', 200],
    ['same-site', 403],
    ['cross-site', 403],
    ['', 403],
  ])('%j: %s', (site, status) => {
    expect(statusOf(get('Host', OURS, 'Sec-Fetch-Site', site))).toBe(status);
  });

  it('may be another where somebody goes to the page, which holds no data', () => {
    const link = get('Host', OURS, 'Sec-Fetch-Site', 'cross-site', ...visit);

    expect([statusOf(link, true), statusOf(link, false)]).toEqual([200, 403]);
    expect(statusOf({ ...link, method: 'POST' }, true)).toBe(403);
  });

  it('may not be another where it is shown in a frame, or asked for by a script', () => {
    const frame = ['Sec-Fetch-Mode', 'navigate', 'Sec-Fetch-Dest', 'iframe'];
    const fetched = ['Sec-Fetch-Mode', 'no-cors', 'Sec-Fetch-Dest', 'empty'];
    for (const how of [frame, fetched])
      expect(statusOf(get('Host', OURS, 'Sec-Fetch-Site', 'cross-site', ...how), true)).toBe(403);
  });
});

it('takes no body that must be unpacked', () => {
  expect(statusOf(get('Host', OURS, 'Content-Encoding', 'gzip'))).toBe(415);
});
