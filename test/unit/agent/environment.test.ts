import { describe, expect, it } from '@jest/globals';
import { captureEnvironment } from '../../../activities/agent/environment/environment.js';

describe('the environment of a run', () => {
  it('has no token, key or socket of the person or the server', () => {
    const secrets = {
      TEMPORAL_ADDRESS: 'x',
      TEMPORAL_API_KEY: 'x',
      GH_TOKEN: 'x',
      GITHUB_TOKEN: 'x',
      SSH_AUTH_SOCK: '/s',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_PROFILE: 'x',
      ANTHROPIC_API_KEY: 'x',
      NPM_TOKEN: 'x',
      LC_my_token: 'x',
      NODE_OPTIONS: '--require=/tmp/x.js',
      DBUS_SESSION_BUS_ADDRESS: 'x',
      SLUICE_HOME: '/h',
      SLUICE_TURN: 'x',
      GIT_DIR: '/g',
    };

    expect(captureEnvironment(secrets)).toEqual({ TERM: 'dumb' });
  });

  it('keeps what a login, a locale and a certificate need', () => {
    const kept = {
      HOME: '/home/a',
      USER: 'a',
      LOGNAME: 'a',
      SHELL: '/bin/sh',
      LANG: 'C.UTF-8',
      LC_ALL: 'C',
      TZ: 'UTC',
      TMPDIR: '/tmp',
      XDG_CONFIG_HOME: '/home/a/.config',
      SSL_CERT_FILE: '/etc/ca.pem',
      https_proxy: 'http://proxy:3128',
    };

    expect(captureEnvironment({ ...kept, TERM: 'xterm-256color', USERNAME: undefined })).toEqual({
      ...kept,
      TERM: 'dumb',
    });
  });

  it('drops a proxy that carries a password', () => {
    expect(captureEnvironment({ HTTPS_PROXY: 'http://me:secret@proxy:3128' })).toEqual({ TERM: 'dumb' });
  });

  it('drops entries of PATH that could lie in a worktree', () => {
    const PATH = '/repo/node_modules/.bin:/usr/local/bin:.::bin:/other/node_modules/.bin/:/usr/bin';

    expect(captureEnvironment({ PATH })).toEqual({ PATH: '/usr/local/bin:/usr/bin', TERM: 'dumb' });
  });
});
