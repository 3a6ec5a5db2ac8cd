/** Which hosts go through the proxy of a sandbox, and which only look like one that does. */
import { describe, expect, it } from '@jest/globals';
import { createAllowList } from '../../../activities/sandbox/allow-list.js';
import { reachOf } from '../../../activities/sandbox/private-addresses.js';
import { parseNetworkHost } from '../../../config/agents/network-host.js';

const own = [
  'api.example.com',
  'Other.Example.com:8443',
  '*.cdn.example.net',
  '10.1.2.3:9000',
  'localhost:4010',
  '[::1]:4011',
];
const list = createAllowList({ known: ['known.example.com'], own });

describe('a list of hosts', () => {
  it.each([
    ['api.example.com:443', 'name'],
    ['known.example.com:443', 'name'],
    ['API.Example.COM:443', 'name'],
    ['api.example.com.:443', 'name'],
    ['other.example.com:8443', 'name'],
    ['a.cdn.example.net:443', 'name'],
    ['a.b.cdn.example.net:443', 'name'],
    ['10.1.2.3:9000', 'address'],
    ['127.0.0.1:4010', 'address'],
    ['localhost:4010', 'address'],
    ['[::1]:4011', 'address'],
  ])('lets %s through', (authority, kind) => {
    expect(list.judge(authority).kind).toBe(kind);
  });

  it.each([
    ['api.example.com:443', true],
    ['known.example.com:443', false],
    ['a.cdn.example.net:443', false],
  ])(
    'lets %s stand for a host of a private network only where its person listed that very name: %s',
    (authority, inner) => {
      expect(list.judge(authority)).toMatchObject({ kind: 'name', inner });
    },
  );

  it.each([
    ['another name', 'evil.example.com:443'],
    ['a name that ends alike', 'notapi.example.com:443'],
    ['a name that begins alike', 'api.example.com.evil.org:443'],
    ['another port', 'api.example.com:80'],
    ['the port of another entry', 'other.example.com:443'],
    ['the domain of a wildcard itself', 'cdn.example.net:443'],
    ['a name that ends like a wildcard', 'evilcdn.example.net:443'],
    ['no port', 'api.example.com'],
    ['port 0', 'api.example.com:0'],
    ['a port beyond all', 'api.example.com:70000'],
    ['a user before the name', 'api.example.com@evil.org:443'],
    ['a path', 'api.example.com:443/x'],
    ['a NUL', 'api.example.com\0.evil.org:443'],
    ['a newline', 'api.example.com\n:443'],
    ['a blank', 'api.example.com :443'],
    ['another address', '10.1.2.4:9000'],
    ['an address in decimal', '167838211:9000'],
    ['an address in hexadecimal', '0x0a010203:9000'],
    ['an address of fewer parts', '10.66051:9000'],
    ['an address within IPv6', '[::ffff:10.1.2.3]:9000'],
    ['another port of loopback', '127.0.0.1:17233'],
    ['loopback by another number', '127.0.0.2:4010'],
    ['nothing', ''],
    ['a wildcard', '*.cdn.example.net:443'],
  ])('refuses %s: %j', (_what, authority) => {
    expect(list.judge(authority).kind).toBe('refused');
  });
});

describe('an entry of networkAllow', () => {
  it.each([
    '',
    '*',
    '*.com',
    'http://a.example',
    'a b',
    'a..b',
    '-a.example',
    'a.example:',
    'a.example:99999',
    '::1',
    '[a.example]:1',
    '1.2.3',
    'x.0x7f',
  ])('is none: %j', (text) => {
    expect(parseNetworkHost(text)).toBeNull();
  });
});

describe('an address', () => {
  it.each([
    '0.0.0.0',
    '127.0.0.1',
    '127.9.9.9',
    '169.254.169.254',
    '192.0.2.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:10.0.0.1',
    'fe80::1',
    'ff02::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '',
    'localhost',
    '127.1',
  ])('of this machine, of many hosts or of none leads nowhere: %j', (address) => {
    expect(reachOf(address)).toBe('nowhere');
  });

  it.each(['10.0.0.1', '100.64.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254'])(
    'of a private network is an inner one: %j',
    (address) => {
      expect(reachOf(address)).toBe('inner');
    },
  );

  it.each([
    '1.1.1.1',
    '8.8.8.8',
    '172.32.0.1',
    '192.169.0.1',
    '100.128.0.1',
    '2606:4700:4700::1111',
    '2a00:1450:4001:800::200e',
  ])('of the world is of the world: %j', (address) => {
    expect(reachOf(address)).toBe('world');
  });
});
