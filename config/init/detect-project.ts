/**
 * What a repository's own files say about how it is set up and tested. Looks at names and at package.json; starts nothing.
 * A guess that a person reads before it is used: `sluice init` writes it down, `sluice run` asks.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { parseJson } from '../../protocol/text/json.js';
import { readForeignFileSync, textOf } from '../system/foreign-file.js';

export interface DetectedProject {
  readonly setup: readonly string[];
  readonly validation: readonly string[];
  /** Files that it was read from. */
  readonly seen: readonly string[];
}

interface Tool {
  readonly file: string;
  readonly setup: string | null;
  readonly test: string;
}

/** First that is there decides. Each set-up command fails rather than change the lockfile. */
const NODE_TOOLS: readonly Tool[] = [
  { file: 'pnpm-lock.yaml', setup: 'pnpm install --frozen-lockfile', test: 'pnpm test' },
  { file: 'bun.lock', setup: 'bun install --frozen-lockfile', test: 'bun run test' },
  { file: 'yarn.lock', setup: 'yarn install --frozen-lockfile', test: 'yarn test' },
  { file: 'npm-shrinkwrap.json', setup: 'npm ci', test: 'npm test' },
  { file: 'package-lock.json', setup: 'npm ci', test: 'npm test' },
];

const PYTHON_TOOLS: readonly Tool[] = [
  { file: 'uv.lock', setup: 'uv sync --frozen', test: 'uv run pytest' },
  { file: 'poetry.lock', setup: 'poetry install', test: 'poetry run pytest' },
  { file: 'pytest.ini', setup: null, test: 'pytest' },
];

const OTHER_TOOLS: readonly Tool[] = [
  { file: 'go.mod', setup: null, test: 'go test ./...' },
  { file: 'Cargo.toml', setup: null, test: 'cargo test' },
];

/** **Effects** none. */
export function detectProject(repo: string): DetectedProject {
  const has = (file: string) => existsSync(join(repo, file));
  const found = [nodeTool(repo, has), pythonTool(repo, has), ...OTHER_TOOLS.filter(({ file }) => has(file))].filter(
    (tool) => tool !== null,
  );
  return {
    setup: found.flatMap(({ setup }) => (setup === null ? [] : [setup])),
    validation: found.flatMap(({ test }) => (test === '' ? [] : [test])),
    seen: found.map(({ file }) => file),
  };
}

const packageSchema = z.object({
  scripts: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
});

function nodeTool(repo: string, has: (file: string) => boolean): Tool | null {
  const manifest = readManifest(join(repo, 'package.json'));
  if (manifest === null) return null;
  const locked = NODE_TOOLS.find(({ file }) => has(file));
  const hasDependencies = Object.keys({ ...manifest.dependencies, ...manifest.devDependencies }).length > 0;
  // Without a lockfile a plain install would write one into the worktree, and the run would commit it.
  const unlocked = {
    file: 'package.json',
    setup: hasDependencies ? 'npm install --no-package-lock' : null,
    test: 'npm test',
  };
  const tool = locked ?? unlocked;
  // From version 2 on yarn has another word for it.
  const setup = tool.file === 'yarn.lock' && has('.yarnrc.yml') ? 'yarn install --immutable' : tool.setup;
  const script = manifest.scripts?.['test'];
  const isTested = typeof script === 'string' && script.trim() !== '' && !script.includes('no test specified');
  return { file: tool.file, setup, test: isTested ? tool.test : '' };
}

function pythonTool(repo: string, has: (file: string) => boolean): Tool | null {
  const tool = PYTHON_TOOLS.find(({ file }) => has(file));
  const usesPytest = has('pytest.ini') || (readForeign(join(repo, 'pyproject.toml'))?.includes('pytest') ?? false);
  if (tool !== undefined) return { ...tool, test: usesPytest ? tool.test : '' };
  return usesPytest ? { file: 'pyproject.toml', setup: null, test: 'pytest' } : null;
}

/** Far above what people write into one. */
const MAX_MANIFEST_BYTES = 1024 * 1024;

/** Null for whatever else has that name: it is no guess about the project. */
function readForeign(path: string): string | null {
  return textOf(readForeignFileSync(path, { maxBytes: MAX_MANIFEST_BYTES, links: 'followed' }));
}

function readManifest(path: string): z.infer<typeof packageSchema> | null {
  return packageSchema.safeParse(parseJson(readForeign(path))).data ?? null;
}
