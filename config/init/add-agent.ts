/** Adds an agent to a config that is there: everything else of the file stays, with its comments. */
import { chmodSync, lstatSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Document, isAlias, isMap, isSeq } from 'yaml';
import { PROJECT_CONFIG } from '../home/home.js';
import { AGENT_NAME } from '../keys/key-values.js';
import { parseConfigFile } from '../layers/parse-config.js';
import { ConfigError, problem } from '../system/config-error.js';
import { hashOfText, parseConfigText, readConfigFile } from '../system/config-text.js';
import { replaceFile } from '../system/replace-file.js';
import { agentEntry, FIRST_AGENT, type InitialAgent, writeIn } from './init-config.js';

/** `there`: the file names this agent already. `isDefault`: a run takes it where it names none. */
export type AddedAgent = { readonly name: string; readonly isDefault: boolean } & (
  | { readonly kind: 'there' }
  | { readonly kind: 'added'; readonly before: string; readonly text: string; readonly hash: string }
);

/** **Effects** replaces the file at once, or not at all. **Errors** ConfigError for a file that is wrong, or a link, or a folder that one may not write in. */
export function addAgent(repo: string, agent: InitialAgent): AddedAgent {
  const path = join(repo, PROJECT_CONFIG);
  const mode = modeOf(path);
  const source = readConfigFile(path, PROJECT_CONFIG) ?? { name: PROJECT_CONFIG, text: '' };
  parseConfigFile('project', source);
  const { document } = parseConfigText(source);
  const entry = agentEntry(agent);
  const agents = agentsOf(document);
  const same = Object.keys(agents).find((name) => isDeepStrictEqual(agents[name], entry));
  if (same !== undefined) return { kind: 'there', name: same, isDefault: document.get('agent') === same };
  refuseAliases(document);
  const name = freeName(agent, Object.keys(agents));
  if (!isMap(document.get('agents'))) document.set('agents', document.createNode({}));
  document.setIn(['agents', name], document.createNode(entry));
  if (!document.has('agent')) document.set('agent', name);
  allowHosts(document, agent.kind === 'cli' ? agent.hosts : []);
  const text = document.toString({ lineWidth: 0 });
  parseConfigFile('project', { text, name: PROJECT_CONFIG });
  writeIn(dirname(path), () => replaceFile(path, text, 'flushed'));
  chmodSync(path, mode);
  const isDefault = document.get('agent') === name;
  return { kind: 'added', name, isDefault, before: source.text, text, hash: hashOfText(text) };
}

/** What an alias stands for is said elsewhere, and an entry beside it would take its place. */
function refuseAliases(document: Document): void {
  const alias = ['agents', 'networkAllow'].find((key) => isAlias(document.get(key, true)));
  if (alias !== undefined) throw byHand(alias, 'it is an alias', 'must stand there itself to be added to');
}

/** Where its own settings lead, so that a sandbox lets it through. */
function allowHosts(document: Document, hosts: readonly string[]): void {
  const allowed = document.get('networkAllow');
  const known: unknown = isSeq(allowed) ? allowed.toJSON() : [];
  const missing = hosts.filter((host) => !Array.isArray(known) || !known.includes(host));
  if (missing.length === 0) return;
  if (isSeq(allowed)) for (const host of missing) allowed.add(host);
  else document.set('networkAllow', document.createNode(missing));
}

/** Permissions of the file. A link leads to a file that may be anybody's. */
function modeOf(path: string): number {
  const stat = lstatSync(path);
  if (stat.isFile()) return stat.mode & 0o777;
  throw byHand(PROJECT_CONFIG, 'it is not a regular file', 'must be a file of its own to be changed here');
}

function byHand(key: string, found: string, rule: string): ConfigError {
  const mend = 'Add the agent by hand, then:  sluice trust';
  return new ConfigError([problem('BadConfig', PROJECT_CONFIG, { key, found: `${key}: ${found}`, rule, mend })]);
}

function agentsOf(document: Document): Readonly<Record<string, unknown>> {
  const whole: unknown = document.toJS();
  const agents = typeof whole === 'object' && whole !== null && 'agents' in whole ? whole.agents : null;
  return typeof agents === 'object' && agents !== null ? { ...agents } : {};
}

/** `main` where it is free, else the name of its program, with a number where that is taken too. */
function freeName(agent: InitialAgent, taken: readonly string[]): string {
  const [program = ''] = agent.command ?? [];
  const plain = (agent.kind === 'cli' && program === '' ? agent.adapter : basename(program)).replace(/\W+/g, '-');
  const stem = AGENT_NAME.test(plain) ? plain : 'agent';
  const names = [FIRST_AGENT, stem, ...Array.from({ length: taken.length }, (_, index) => `${stem}-${index + 2}`)];
  return names.find((name) => !taken.includes(name)) ?? stem;
}
