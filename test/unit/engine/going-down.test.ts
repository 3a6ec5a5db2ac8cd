/** Who wants an engine while a `sluice down` waits for a turn. */
import { beforeEach, describe, expect, it } from '@jest/globals';
import { up } from '../../../client/cli/commands/up.js';
import type { EnginePhase } from '../../../worker/local-engine/control/control.js';
import { playEngine } from '../../support/played-engine.js';
import { tempFolders } from '../../support/temp-folder.js';
import { openTerminal } from '../client/fake-io.js';

const DOWN = 'a sluice down waits for running turns, so this waits for its end (sluice down --now ends them)';
const UP = 'The local engine is already up at 127.0.0.1:7233.';
const NEW = 'the worker is a new process; running turns go on';

describe('sluice up', () => {
  const freshFolder = tempFolders();
  let home: string;

  beforeEach(() => {
    home = freshFolder();
  });

  /** It is up a moment after somebody begins to wait for that. */
  async function upWith(first: EnginePhase, restart: boolean) {
    let phase = first;
    const engine = await playEngine(
      home,
      () => ({ phase }),
      (onChange) => {
        const timer = setTimeout(() => {
          phase = 'up';
          onChange(null);
        }, 10);
        return () => clearTimeout(timer);
      },
    );
    const { context, err } = openTerminal({ env: { XDG_CONFIG_HOME: home }, outIsTerminal: false });
    try {
      const code = await up({ ...context, home }, { ui: false, restart });
      return { code, err };
    } finally {
      await engine.close();
    }
  }

  it.each([false, true])('says what it waits for while the engine goes down, --restart: %j', async (restart) => {
    expect(await upWith('draining', restart)).toEqual({ code: 0, err: [DOWN, UP] });
  });

  it('says that the worker is new where it is', async () => {
    expect(await upWith('up', true)).toEqual({ code: 0, err: [NEW, UP] });
  });
});
