/** The default guarded paths, word by word, as the diff check matches them; and what is left to checks and reviews. */
import { describe, expect, it } from '@jest/globals';
import { checkDiff } from '../../../activities/git/inspect/diff-check.js';
import { DEFAULT_GUARDED_PATHS, GUARDED_ROWS } from '../../../config/keys/guarded-paths.js';

async function guarded(...paths: readonly string[]): Promise<readonly string[]> {
  const files = paths.map((path) => ({ path, status: 'added', mode: '100644', added: 1, deleted: 0 }) as const);
  const diff = { files, addedLines: new Map(), patchBytes: 0 };
  return (await checkDiff({ worktree: '/nowhere', diff, block: [], guarded: DEFAULT_GUARDED_PATHS })).guarded;
}

const HELD = `
  AGENTS.md packages/web/AGENTS.md AGENTS.override.md src/AGENTS.override.md CLAUDE.md packages/web/CLAUDE.md CLAUDE.local.md GEMINI.md
  .claude/settings.json packages/web/.claude/settings.json .claude/skills/x/SKILL.md .codex/config.toml .gemini/settings.json .opencode/plugin/x.ts
  .agents/skills/x/SKILL.md packages/web/.agents/skills/x/run.sh .mcp.json packages/web/.mcp.json opencode.json opencode.jsonc .aider.conf.yml
  .cursor/rules/x.mdc .cursor/mcp.json .cursorrules .windsurfrules .clinerules .clinerules/x.md .github/copilot-instructions.md
  .github/instructions/x.instructions.md
  .vscode/tasks.json .vscode/settings.json .vscode/launch.json .vscode/extensions.json packages/web/.vscode/tasks.json x.code-workspace
  .idea/workspace.xml .devcontainer/devcontainer.json .devcontainer.json .exrc
  .envrc packages/web/.envrc .direnv/x .mise.toml mise.toml mise.local.toml .tool-versions .cargo/config.toml .mvn/extensions.xml
  sitecustomize.py rust-toolchain.toml
  .npmrc packages/web/.npmrc .yarnrc.yml .yarn/plugins/x.cjs .yarn/releases/yarn-4.0.0.cjs .pnpmfile.cjs pnpm-workspace.yaml .pnp.cjs bunfig.toml
  .gitattributes docs/.gitattributes .gitmodules .husky/pre-commit .githooks/pre-push .pre-commit-config.yaml lefthook.yml .lefthook-local.toml
  .github/workflows/ci.yml .github/actions/x/action.yml .gitlab-ci.yml .circleci/config.yml Jenkinsfile azure-pipelines.yml .github/CODEOWNERS
  .tekton/push.yaml .teamcity/settings.kts .azure-pipelines/ci.yml buildspec.yml buildspec.yaml .readthedocs.yml .readthedocs.yaml netlify.toml
  packages/web/netlify.toml vercel.json packages/web/vercel.json .cirrus.star .drone.star .drone.jsonnet bitrise.yml codemagic.yaml
  .helix/languages.toml packages/web/.helix/config.toml .roomodes .vim/coc-settings.json .lvimrc
  AGENT.md QWEN.md CRUSH.md packages/web/.goosehints .claude-plugin/plugin.json .agent/x .qwen/settings.json .goose/x .crush/x crush.json .crush.json
  gemini-extension.json .windsurf/rules/x.md .roo/rules/x.md .kilocode/x .kiro/hooks/x .junie/x .trae/x .continue/x .amazonq/x .augment/x .factory/x
  .roorules .roorules-code .rules .github/prompts/x.md .github/chatmodes/x.md .github/agents/x.md .github/skills/x/SKILL.md .github/hooks/x.json
  .zed/tasks.json .fleet/run.json .gitpod/x .idx/dev.nix .gitpod.yml .replit .vimrc .nvimrc .nvim.lua .dir-locals.el
  .mise/config.toml .config/mise/config.toml .bundle/config rust-toolchain .Rprofile .irbrc .pryrc usercustomize.py .bazelrc tools/bazel
  .yarn/sdks/x.js gradle/wrapper/gradle-wrapper.properties .yarnrc .pnpmfile.mjs pnpmfile.js .pnp.loader.mjs .bunfig.toml uv.toml nuget.config
  .lfsconfig .overcommit.yml .lintstagedrc .lintstagedrc.json lint-staged.config.mjs lefthook-local.json
  .gitea/workflows/x.yml .forgejo/workflows/x.yml .gitea/actions/x/action.yml .github/dependabot.yml .github/dependabot.yaml .gitlab/x.yml
  .buildkite/pipeline.yml .woodpecker/x.yml .semaphore/semaphore.yml .builds/x.yml .travis.yml appveyor.yml .appveyor.yml .woodpecker.yml .drone.yml
  .cirrus.yaml .build.yml bitbucket-pipelines.yml cloudbuild.yaml CODEOWNERS docs/CODEOWNERS packages/web/azure-pipelines-release.yaml
  .sluice/config.yaml
`
  .split(/\s+/)
  .filter((word) => word !== '');

describe('the default guarded paths', () => {
  it.each(HELD)('hold %s', async (path) => {
    expect(await guarded(path)).toEqual([path]);
  });

  it.each(['.Claude/settings.json', '.VSCODE/Tasks.json', 'claude.local.MD', '.ENVRC', '.GitHub/Workflows/x.yml'])(
    'hold %s too, which is another name only where case counts',
    async (path) => {
      expect(await guarded(path)).toEqual([path]);
    },
  );

  it.each(['.claude', '.cursor', 'packages/web/.agents', '.yarn/releases'])(
    'hold %s itself, for a link in its place leads to a folder',
    async (path) => {
      expect(await guarded(path)).toEqual([path]);
    },
  );

  it('leave what a person runs by name to checks and reviews', async () => {
    const ordinary = [
      'package.json',
      'Makefile',
      'conftest.py',
      'build.rs',
      'src/agents.ts',
      'docs/claude.html',
      '.editorconfig',
      '.gitignore',
      '.nvmrc',
    ];

    expect(await guarded(...ordinary)).toEqual([]);
  });

  it('say of each row why it is there, and name no path twice', () => {
    expect(GUARDED_ROWS.filter(({ why }) => why.length < 20)).toEqual([]);
    expect(new Set(DEFAULT_GUARDED_PATHS).size).toBe(DEFAULT_GUARDED_PATHS.length);
  });
});
