import { describe, expect, it } from '@jest/globals';
import { DetachedError } from '../../../activities/process/contract.js';
import { Attempts, type Signals } from '../../../activities/unit/attempts.js';

const TOKEN = '11111111-1111-4111-8111-111111111111';

function signals() {
  const cancel = new AbortController();
  const detach = new AbortController();
  return { cancel, detach, both: { cancel: cancel.signal, detach: detach.signal } };
}

describe('attempts of one place in one process', () => {
  it('share one piece of work', async () => {
    const attempts = new Attempts();
    let started = 0;
    const work = async () => {
      started += 1;
      return started;
    };

    const answers = await Promise.all([
      attempts.share(TOKEN, signals().both, work),
      attempts.share(TOKEN, signals().both, work),
    ]);

    expect(answers).toEqual([1, 1]);
  });

  it('leave the work alone when one of them detaches', async () => {
    const attempts = new Attempts();
    const first = signals();
    let finish: (answer: string) => void = () => {};
    let isLeft = () => false;
    const work = ({ detach }: Signals) => {
      isLeft = () => detach.aborted;
      return new Promise<string>((resolve) => (finish = resolve));
    };
    const left = attempts.share(TOKEN, first.both, work);
    const stayed = attempts.share(TOKEN, signals().both, work);

    first.detach.abort();
    await expect(left).rejects.toBeInstanceOf(DetachedError);

    expect(isLeft()).toBe(false);
    finish('done');
    expect(await stayed).toBe('done');
  });

  it('start the work again after the last of them has detached', async () => {
    const attempts = new Attempts();
    const first = signals();
    const seen: boolean[] = [];
    const waiting = attempts.share(
      TOKEN,
      first.both,
      ({ detach }) =>
        new Promise((_, reject) =>
          detach.addEventListener('abort', () => {
            seen.push(detach.aborted);
            reject(new DetachedError('left'));
          }),
        ),
    );
    first.detach.abort();
    await expect(waiting).rejects.toBeInstanceOf(DetachedError);

    const again = await attempts.share(TOKEN, signals().both, async () => 'again');

    expect(seen).toEqual([true]);
    expect(again).toBe('again');
  });

  it('never go on beside work that was detached and has not ended', async () => {
    const attempts = new Attempts();
    const first = signals();
    const order: string[] = [];
    let end: () => void = () => {};
    const slow = async () => {
      await new Promise<void>((resolve) => (end = resolve));
      order.push('first ended');
    };
    const left = attempts.share(TOKEN, first.both, slow);
    await Promise.resolve();
    first.detach.abort();
    await expect(left).rejects.toBeInstanceOf(DetachedError);

    const again = attempts.share(TOKEN, signals().both, async () => order.push('second began'));
    await new Promise((resolve) => setImmediate(resolve));
    end();
    await again;

    expect(order).toEqual(['first ended', 'second began']);
  });

  it('cancel what was left to itself and is waited for', async () => {
    const attempts = new Attempts();
    const [first, second] = [signals(), signals()];
    const order: string[] = [];
    const left = attempts.share(
      TOKEN,
      first.both,
      ({ cancel }) =>
        new Promise<void>((resolve) => cancel.addEventListener('abort', () => resolve(void order.push('first ended')))),
    );
    first.detach.abort();
    await expect(left).rejects.toBeInstanceOf(DetachedError);
    const again = attempts.share(TOKEN, second.both, async () => order.push('second began'));

    second.cancel.abort();
    await again;

    expect(order).toEqual(['first ended', 'second began']);
  });

  it('cancel the shared work when any of them is cancelled', async () => {
    const attempts = new Attempts();
    const second = signals();
    const work = ({ cancel }: { cancel: AbortSignal }) =>
      new Promise<string>((resolve) => cancel.addEventListener('abort', () => resolve('ended')));
    const one = attempts.share(TOKEN, signals().both, work);
    const two = attempts.share(TOKEN, second.both, work);

    second.cancel.abort();

    expect(await Promise.all([one, two])).toEqual(['ended', 'ended']);
  });
});
