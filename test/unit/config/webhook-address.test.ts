import { describe, expect, it } from '@jest/globals';
import { webhookAddress } from '../../../config/keys/webhook-address.js';

describe('a webhook', () => {
  it.each([
    ['https://hooks.example.com/x', true],
    ['http://127.0.0.1:8080/x', true],
    ['http://[::1]:8080/x', true],
    ['http://localhost/x', true],
    ['http://127.1/x', true],
    ['http://example.com/x', false],
    ['http://127.0.0.1.example.com/x', false],
    ['http://localhost.example.com/x', false],
    ['http://10.0.0.1/x', false],
    ['https://user:password@example.com/x', false],
    ['ftp://127.0.0.1/x', false],
    ['file:///etc/passwd', false],
    ['http://127.0.0.1.evil/x', false],
    ['http://0.0.0.0/x', false],
    ['http://user@localhost/x', false],
    ['not an address', false],
  ])('at %s may be told: %s', (url, may) => {
    expect(webhookAddress(url) !== null).toBe(may);
  });
});
