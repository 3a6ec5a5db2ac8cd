/** Kinds of agents behind which no coding CLI is known: a program of the person's, and those of the engine's own. */
import type { AcpPeer, AgentKind } from './kind.js';

export const PLAIN_PEER: AcpPeer = {
  names: [],
  sessionMeta: null,
  titleIsCommand: false,
  pastComesLate: false,
  costsAnew: false,
  keyLogins: {},
};

export const anyCommand: AgentKind = {
  adapter: 'command',
  program: null,
  command: null,
  provider: null,
  tellsCost: false,
  login: null,
  configVariables: null,
  switches: {},
  sandbox: null,
  plugins: null,
  acp: null,
};

/** What it uses is what its fixture says. */
export const scripted: AgentKind = { ...anyCommand, adapter: 'scripted', tellsCost: true };

/** A program that is not known by its name. */
export const anyAcp: AgentKind = { ...anyCommand, adapter: 'acp', acp: PLAIN_PEER };

/** Its program is the engine's own, starts nothing and reads no file of the run. What it costs is counted where the price of the model is known. */
export const model: AgentKind = { ...anyCommand, adapter: 'model', tellsCost: true, sandbox: 'needless' };
