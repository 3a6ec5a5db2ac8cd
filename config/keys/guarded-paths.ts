/**
 * The default of `guardedPaths`, one row for each kind of file with why it is there: the policy and docs/config.md both come from this table.
 * A row belongs here if an agent takes the file for an instruction, or if a program runs or is chosen by it that nobody asked for by name: on opening
 * a folder, entering it, a commit, an install or a push. What a person runs by name (`package.json`, Makefile, conftest.py, build.rs) is ordinary
 * code, which checks and reviews are for; a person who wants to look at that too lists it.
 */

export interface GuardedRow {
  /** Globs. At any depth, for every folder can be the one that is opened; only forges look at the root alone. */
  readonly paths: readonly string[];
  readonly why: string;
}

/** A folder itself or all that is in it, so a link in its place is found too. */
const folders = (...names: readonly string[]) => names.map((name) => `**/${name}/**`);
const files = (...names: readonly string[]) => names.map((name) => `**/${name}`);

export const GUARDED_ROWS: readonly GuardedRow[] = [
  {
    paths: files(
      'AGENTS.md',
      'AGENTS.override.md',
      'AGENT.md',
      'CLAUDE.md',
      'CLAUDE.local.md',
      'GEMINI.md',
      'QWEN.md',
      'CRUSH.md',
      '.goosehints',
    ),
    why: 'agents read them as instructions, in every folder that they enter',
  },
  {
    paths: folders(
      '.claude',
      '.claude-plugin',
      '.codex',
      '.gemini',
      '.opencode',
      '.agents',
      '.agent',
      '.qwen',
      '.goose',
      '.crush',
    ),
    why: 'settings, hooks, skills, commands and sub-agents of coding CLIs: a hook or a server in them is started with the agent',
  },
  {
    paths: files(
      '.mcp.json',
      'opencode.json',
      'opencode.jsonc',
      'crush.json',
      '.crush.json',
      'gemini-extension.json',
      '.aider*',
    ),
    why: 'settings of coding CLIs outside such a folder: servers, programs and permissions of the agent',
  },
  {
    paths: [
      ...folders(
        '.cursor',
        '.windsurf',
        '.clinerules',
        '.roo',
        '.kilocode',
        '.kiro',
        '.junie',
        '.trae',
        '.continue',
        '.amazonq',
        '.augment',
        '.factory',
      ),
      ...files('.cursorrules', '.windsurfrules', '.roorules*', '.roomodes', '.rules'),
      ...[
        'copilot-instructions.md',
        'instructions/**',
        'prompts/**',
        'chatmodes/**',
        'agents/**',
        'skills/**',
        'hooks/**',
      ].map((name) => `.github/${name}`),
    ],
    why: 'rules, servers and hooks of the agents in editors and forges',
  },
  {
    paths: [
      ...folders('.vscode', '.idea', '.zed', '.fleet', '.helix', '.vim', '.devcontainer', '.gitpod', '.idx'),
      ...files(
        '.devcontainer.json',
        '*.code-workspace',
        '.gitpod.yml',
        '.replit',
        '.exrc',
        '.vimrc',
        '.nvimrc',
        '.nvim.lua',
        '.lvimrc',
        '.dir-locals.el',
      ),
    ],
    why: 'an editor or container that opens the folder runs their tasks and takes programs and extensions from them',
  },
  {
    paths: [
      ...folders('.direnv', '.mise', '.config/mise', '.bundle', '.cargo', '.mvn'),
      ...files(
        '.envrc',
        '.mise*.toml',
        'mise*.toml',
        '.tool-versions',
        'rust-toolchain',
        'rust-toolchain.toml',
        '.Rprofile',
        '.irbrc',
        '.pryrc',
      ),
      ...files('sitecustomize.py', 'usercustomize.py', '.bazelrc', 'tools/bazel'),
    ],
    why: 'a shell, tool manager, interpreter or build tool that starts in the folder runs them, or takes from them which program it starts',
  },
  {
    paths: [
      ...folders('.yarn/plugins', '.yarn/releases', '.yarn/sdks', 'gradle/wrapper'),
      ...files(
        '.npmrc',
        '.yarnrc',
        '.yarnrc.yml',
        '.pnpmfile.cjs',
        '.pnpmfile.mjs',
        'pnpmfile.js',
        'pnpm-workspace.yaml',
        '.pnp.cjs',
        '.pnp.loader.mjs',
      ),
      ...files('bunfig.toml', '.bunfig.toml', 'uv.toml', 'nuget.config'),
    ],
    why: 'a package manager runs them, or takes from them where packages and programs come from',
  },
  {
    paths: [
      ...folders('.husky', '.githooks'),
      ...files(
        '.gitattributes',
        '.gitmodules',
        '.lfsconfig',
        '.pre-commit-config.yaml',
        '.overcommit.yml',
        '.lintstagedrc*',
        'lint-staged.config.*',
      ),
      ...files('{.,}lefthook{,-local}.{yml,yaml,toml,json}'),
    ],
    why: 'git and hook managers run them on a commit, or fetch and filter by them',
  },
  {
    paths: [
      ...['workflows', 'actions'].flatMap((name) => [`.github/${name}/**`, `.gitea/${name}/**`, `.forgejo/${name}/**`]),
      '.github/dependabot.{yml,yaml}',
      '.gitlab-ci.yml',
      '.gitlab/**',
      '.circleci/**',
      '.buildkite/**',
      '.woodpecker/**',
      '.semaphore/**',
      '.builds/**',
      '.tekton/**',
      '.teamcity/**',
      '.azure-pipelines/**',
      '.travis.yml',
      '{.,}appveyor.yml',
      '.{woodpecker,drone,cirrus,build}.{yml,yaml}',
      '.drone.{star,jsonnet}',
      '.cirrus.star',
      'bitbucket-pipelines.yml',
      'cloudbuild.{yml,yaml}',
      'buildspec.{yml,yaml}',
      'bitrise.yml',
      'codemagic.yaml',
      '.readthedocs.{yml,yaml}',
      '**/Jenkinsfile',
      '**/azure-pipelines*.{yml,yaml}',
      '**/netlify.toml',
      '**/vercel.json',
      '{,.github/,docs/}CODEOWNERS',
    ],
    why: 'a forge or CI service runs them on a push with its secrets, or takes from them who must review',
  },
  { paths: ['.sluice/**'], why: "sluice's own config and files" },
];

export const DEFAULT_GUARDED_PATHS: readonly string[] = GUARDED_ROWS.flatMap(({ paths }) => [...paths]);
