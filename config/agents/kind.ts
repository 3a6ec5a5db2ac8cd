/**
 * What is known of one kind of agent before it is started: of those behind one adapter, and behind `adapter: acp` of those of one program.
 * Facts alone, each in one place; how it is talked to, and how its answer is read, is its adapter's. Sources: the documentation of each CLI.
 */
import type { Adapter } from '../../protocol/run/policy.js';

export interface AgentKind {
  /** The word of `agents.<name>.adapter`. */
  readonly adapter: Adapter;
  /** The name of its CLI on PATH. Null: the config names a program, or the adapter has one of its own. */
  readonly program: string | null;
  /** What a config has to name as its command. Null: its adapter knows what starts it, or nobody does. */
  readonly command: readonly [string, ...string[]] | null;
  /** Whose usage limit it works under. Null: its config tells. */
  readonly provider: string | null;
  /** Its word for a model that is good enough to judge and costs least. Missing: none that is known. */
  readonly smallModel?: string;
  /** Whether it tells what a turn costs; else a limit of money would never be reached. */
  readonly tellsCost: boolean;
  /** Null: it has none of its own, or none that is known. Such a CLI is not looked for on a machine. */
  readonly login: KnownLogin | null;
  /** Variables that lead it to `agents.<name>.configDir`, each with a folder below it; empty: that folder itself. Null: none that is known. */
  readonly configVariables: Readonly<Record<string, string>> | null;
  /** Variables of each start of it: no update, no question, nothing told to others, nothing of the repository read that could start programs. */
  readonly switches: Readonly<Record<string, string>>;
  /** Null: nobody said what it needs, so that a sandbox could only be guessed. `needless`: there is nothing to keep in. */
  readonly sandbox: SandboxNeeds | 'needless' | null;
  /** What of a repository it would run unasked. Null: nothing that is known. */
  readonly plugins: RepositoryPlugins | null;
  /** Null: it does not speak the Agent Client Protocol. */
  readonly acp: AcpPeer | null;
}

/** Where its login lies, and which variables it takes a login or a provider from. A login in a system key store cannot be seen here. */
export interface KnownLogin {
  /** Files that hold a login, first that does decides. */
  readonly files: readonly LoginFile[];
  /** Any of these is a login, each with the variables that it needs beside it. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** Where it looks for its own files or its provider; a person who sets them needs them in a turn too. */
  readonly settings: readonly string[];
  /** Its config files can name further variables, found by the expression's first group. */
  readonly configs: readonly ConfigFile[];
  /** What names the address of a provider: variables, and the first group of expressions over config files. */
  readonly addresses: { readonly variables: readonly string[]; readonly configs: readonly ConfigFile[] };
  /** The command that makes one, as a person types it. */
  readonly make: string;
  /** Arguments of its own command that tells whether somebody is logged in, by exit code 0 or 1. Null: it has none. */
  readonly status: readonly string[] | null;
}

/** `variable` names the folder where it is set; else it is `folder` below HOME. */
export interface AgentFile {
  readonly variable: string | null;
  readonly folder: string;
  readonly name: string;
}

/** `field`: the JSON object must have it; null: any content but an empty object is a login. */
interface LoginFile extends AgentFile {
  readonly field: string | null;
}

interface ConfigFile extends AgentFile {
  readonly names: RegExp;
}

/** The folders of HOME that a CLI keeps login and conversations in, and the hosts it speaks to. */
export interface SandboxNeeds {
  /** Below HOME, to read and write. */
  readonly home: readonly string[];
  /** The same, and left out where they cannot be shown: what lies there is made anew. */
  readonly caches: readonly string[];
  /** Of `home`: the folder of its conversations, made where it is not there yet. Else what one turn said would be gone for the next. */
  readonly made: readonly string[];
  /** Below HOME, to read: what steers the CLI, and its program. */
  readonly readOnly: readonly string[];
  /** Below HOME, folders that steer the CLI and that it writes files of its own to as it starts: to read, and what it writes is gone at its end. */
  readonly scratch: readonly string[];
  /** Folders of HOME that a variable moves elsewhere: by `agents.<name>.configDir`, or by its person. */
  readonly moves: readonly Move[];
  readonly hosts: readonly string[];
}

export interface Move {
  /** Below HOME. */
  readonly from: string;
  readonly variable: string;
  /** Below the folder that the variable names; empty: that folder. */
  readonly to: string;
}

/** All paths are below the repository. */
interface RepositoryPlugins {
  /** The name of the CLI, for people. */
  readonly of: string;
  /** Whatever lies in one is a plugin. */
  readonly folders: readonly string[];
  readonly configs: readonly string[];
  /** A key of a config that names one, or may come to. */
  readonly named: RegExp;
}

/** What the client does for an agent that speaks the Agent Client Protocol; for any that it does not know it does nothing special. */
export interface AcpPeer {
  /** As it names itself to the client, by the package that it is of; the first is that of today. */
  readonly names: readonly string[];
  /** `_meta` of a session that is opened; null: none. */
  readonly sessionMeta: Readonly<Record<string, unknown>> | null;
  /** The title of a request to run a program is its command line, and nothing else is told of it. Of others a model may have written the title. */
  readonly titleIsCommand: boolean;
  /** A session that is loaded is answered before all of its past is told; the list of its commands comes behind that. */
  readonly pastComesLate: boolean;
  /** The cost that it tells is that of its process, so of one turn; the protocol means that of the session. */
  readonly costsAnew: boolean;
  /** Its ways of login that take one of these variables and ask nobody, by their ids; every other may open a browser. */
  readonly keyLogins: Readonly<Record<string, readonly string[]>>;
}
