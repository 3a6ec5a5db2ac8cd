/** The parts of the bench `run`, in the order in which they are measured. */
import { measureAdapters } from './adapters.js';
import { measureAtOnce } from './at-once.js';
import { measureCpu, measureWorkerStart } from './cpu.js';
import { measureFixRounds } from './fix-rounds.js';
import { measureGates } from './gates.js';
import { measureGrowth } from './growth.js';
import { measureKill } from './kill.js';
import { measureMidTurn } from './mid-turn.js';
import type { Few, Parts } from './parts.js';
import { measurePlainRuns, warmUp } from './plain-run.js';
import { measureCli, measureCommands } from './shell.js';

const IN_ONE = { repositories: 1, times: 1, memory: 'processesRssMb' } as const;

export function runParts(few: Few): Parts {
  return {
    plain: (measuring) => measurePlainRuns(measuring, few(15, 2)),
    adapters: (measuring) => measureAdapters(measuring, few(9, 1)),
    cli: ({ host, samples }) => measureCli(host, samples, few(7, 1)),
    help: ({ host, samples }) => measureCommands(host, samples, few(9, 1)),
    rounds: (measuring) => measureFixRounds(measuring, few(3, 1)),
    gates: (measuring) => measureGates(measuring, few(4, 1)),
    messages: (measuring) => measureMidTurn(measuring, few(5, 1)),
    cpu: async (measuring) => {
      await measureWorkerStart(measuring);
      await warmUp(measuring.host, 'bench-cpu-warm');
      for (let n = 0; n < few(3, 1); n += 1) {
        await measureCpu(measuring, { name: `bench-cpu-${n}`, runs: few(40, 3), fromShell: few(5, 1) });
      }
    },
    // After the runs that are alone: a server that had a hundred is busy for a while.
    ten: (measuring) =>
      measureAtOnce(measuring, { ...IN_ONE, name: 'ten', runs: few(10, 3), times: few(3, 1), time: 'concurrent10Ms' }),
    hundred: (measuring) =>
      measureAtOnce(measuring, { ...IN_ONE, name: 'hundred', runs: few(100, 4), time: 'concurrent100Ms' }),
    crowd: (measuring) => {
      const crowd = { ...IN_ONE, name: 'crowd', runs: few(130, 5), time: 'concurrent130Ms' } as const;
      return measureAtOnce(measuring, { ...crowd, memory: 'processes130RssMb' });
    },
    spread: (measuring) => {
      const crowd = { name: 'spread', runs: few(100, 4), repositories: few(10, 2), times: 1 };
      return measureAtOnce(measuring, { ...crowd, time: 'spread100Ms', memory: 'processesSpreadRssMb' });
    },
    growth: (measuring) => measureGrowth(measuring, { times: few(3, 1), sizes: few(3, 2) }),
    kill: ({ host, samples }) => measureKill(host, samples),
  };
}
