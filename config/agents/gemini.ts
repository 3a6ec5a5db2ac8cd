/** Gemini CLI, by the Agent Client Protocol. */
import type { AgentKind } from './kind.js';
import { PLAIN_PEER } from './plain.js';

const STEERING = ['settings.json', 'GEMINI.md', 'commands', 'extensions', 'policies', 'skills', 'trustedFolders.json'];

export const gemini = {
  adapter: 'acp',
  program: 'gemini',
  command: ['gemini', '--acp'],
  provider: 'google',
  tellsCost: false,
  login: {
    files: [{ variable: null, folder: '.gemini', name: 'oauth_creds.json', field: null }],
    keys: { GEMINI_API_KEY: [], GOOGLE_API_KEY: [] },
    settings: ['GOOGLE_GEMINI_BASE_URL', 'GOOGLE_CLOUD_PROJECT'],
    configs: [],
    addresses: { variables: ['GOOGLE_GEMINI_BASE_URL'], configs: [] },
    make: 'gemini    and choose a login there',
    status: null,
  },
  configVariables: null,
  // It leaves settings of the repository unread.
  switches: { GEMINI_CLI_TRUST_WORKSPACE: 'false' },
  sandbox: {
    home: ['.gemini'],
    caches: [],
    made: ['.gemini'],
    readOnly: STEERING.map((name) => `.gemini/${name}`),
    scratch: [],
    moves: [],
    hosts: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
  },
  plugins: null,
  // Source: acpSession.ts of gemini-cli 0.61.0.
  acp: {
    ...PLAIN_PEER,
    names: ['gemini-cli'],
    titleIsCommand: true,
    pastComesLate: true,
    keyLogins: { 'gemini-api-key': ['GEMINI_API_KEY'] },
  },
} as const satisfies AgentKind;
