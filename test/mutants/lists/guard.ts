/** Processes: the claim, attaching, ends and limits, and what a guard leaves to the next one. */
import type { Mutant } from '../mutant.js';

const COMMANDS = 'test/unit/process/commands.test.ts';
const ATTACKED = 'test/unit/process/attacked-marks.test.ts';
const LOCKED = 'test/unit/process/locked-files.test.ts';
const SURVIVAL = 'test/unit/process/survival.test.ts';
const TRAPS = 'test/unit/process/traps.test.ts';
const GUARD_COMMANDS = 'activities/process/guard/commands.ts';
const MARKS = 'activities/process/marks.ts';

export const GUARD_MUTANTS: readonly Mutant[] = [
  {
    name: 'the claim is skipped',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: 'writeClaim(spec.dir, claim, deps.durability);',
    replace: '',
    test: {
      file: 'test/chaos/guard-and-server-killed.test.ts',
      title: 'costs nothing: the next guard adopts the agent, which was started once',
    },
  },
  {
    name: 'the next guard is not told of a command',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: 'deps.list.own(spec.token, spec.dir);',
    replace: '',
    test: { file: SURVIVAL, title: 'in mid-turn costs nothing: the next one adopts the command' },
  },
  {
    name: "a running command of the same input counts as another's",
    area: 'guard',
    file: GUARD_COMMANDS,
    find: 'running !== undefined && running.claim.inputHash === spec.inputHash',
    replace: 'running !== undefined && running.claim.inputHash !== spec.inputHash',
    test: {
      file: 'test/chaos/worker-killed.test.ts',
      title: 'of stage %s: the next worker attaches to what is at work, and it was started once',
    },
  },
  {
    name: 'an end that nobody knows, interrupted, is given as the answer',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: "exit.reason !== 'interrupted' && ",
    replace: '',
    test: {
      file: COMMANDS,
      title: 'of a whole home interrupts: the wait goes on and the command is started again, as often as that happens',
    },
  },
  {
    name: "somebody else's abort is given as the answer for ever",
    area: 'guard',
    file: GUARD_COMMANDS,
    find: " && !(again && exit.reason === 'aborted')",
    replace: '',
    test: {
      file: COMMANDS,
      title: 'by somebody else is told to whoever waits; whoever asks afterwards gets the command started again',
    },
  },
  {
    name: 'a start that has an exit counts as lost',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: 'exit === null ? (former?.starts ?? 0) : 0',
    replace: '(former?.starts ?? 0)',
    test: {
      file: COMMANDS,
      title: 'of a whole home interrupts: the wait goes on and the command is started again, as often as that happens',
    },
  },
  {
    name: 'a command whose starts are lost is started a fourth time',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: 'lost >= MAX_LOST_STARTS',
    replace: 'lost > MAX_LOST_STARTS',
    test: { file: COMMANDS, title: 'of three starts in a row without an end are a crash loop' },
  },
  {
    name: 'a command ends the turn that it belongs to',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: "await this.endGroup(spec.group, baseOf(spec.token), 'aborted');",
    replace: "await this.endGroup(spec.group, null, 'aborted');",
    test: {
      file: COMMANDS,
      title: 'is ended by a newer place of the same run, but not by a command below the same place',
    },
  },
  {
    name: 'an earlier turn of the run goes on beside the new one',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: "await this.endGroup(spec.group, baseOf(spec.token), 'aborted');",
    replace: '',
    test: {
      file: COMMANDS,
      title: 'is ended by a newer place of the same run, but not by a command below the same place',
    },
  },
  {
    name: 'marks of another input stay where they are',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: 'mark.inputHash !== spec.inputHash || ',
    replace: '',
    test: { file: COMMANDS, title: 'of another input are moved aside and the command is started anew' },
  },
  {
    name: 'the exit of another input is believed by the worker',
    area: 'guard',
    file: 'activities/process/processes.ts',
    find: 'exit.inputHash !== spec.inputHash',
    replace: 'false',
    test: { file: COMMANDS, title: 'of another input are moved aside and the command is started anew' },
  },
  {
    name: 'TERM is taken for death',
    area: 'guard',
    file: 'activities/process/guard/sweep.ts',
    find: 'if (living.length > 0) {',
    replace: 'if (living.length > 0 && graceMs === 0) {',
    test: { file: COMMANDS, title: 'ends a command that ignores TERM after the grace' },
  },
  {
    name: 'output does not count as a sign of life',
    area: 'guard',
    file: 'activities/process/guard/command.ts',
    find: 'this.grewMs = now;',
    replace: '',
    test: { file: COMMANDS, title: 'ends a command that is silent for too long, but not one that speaks' },
  },
  {
    name: 'the time limit begins anew with each guard',
    area: 'guard',
    file: 'activities/process/guard/command.ts',
    find: '(parts.adopted ? ageOfAdopted(this.claim) : 0)',
    replace: '0',
    test: { file: SURVIVAL, title: 'leaves its time to the next one: a command is as old as it was' },
  },
  {
    name: 'an orphaned agent is ended as if a person had aborted it',
    area: 'guard',
    file: 'activities/process/guard/run-guard.ts',
    find: "void command.end('interrupted');",
    replace: "void command.end('aborted');",
    test: {
      file: SURVIVAL,
      title: 'ends everything after the orphan grace; the command is started again when a worker returns',
    },
  },
  {
    name: 'the reservation of a dead worker stays',
    area: 'guard',
    file: 'activities/process/guard/guard-server.ts',
    find: "socket.on('close', () => guard.commands.drop(socket));",
    replace: '',
    test: { file: SURVIVAL, title: 'before the go byte: its reservation falls, and the next one starts the command' },
  },
  {
    name: 'an exit status is believed before its line is whole',
    area: 'guard',
    file: MARKS,
    find: '/^(\\d{1,3})\\n/',
    replace: '/^(\\d{1,3})/',
    test: { file: TRAPS, title: 'a status without its newline counts as absent: %j' },
  },
  {
    name: 'a process without the turn tag is not looked for',
    area: 'guard',
    file: 'activities/process/guard/process-table.ts',
    find: 'if (isMarked) add(',
    replace: 'if (isMarked && tags.length > 0) add(',
    test: { file: TRAPS, title: 'is found by its limit mark: env -i in a session of its own' },
  },
  {
    name: 'the children of a program that has the number of the first thread of the kernel are passed over',
    area: 'guard',
    file: 'activities/process/guard/kernel-threads.ts',
    find: 'if ((Number(fields[FLAGS]) & IS_KERNEL_THREAD) === 0) return [];',
    replace: '',
    test: {
      file: 'test/unit/process/kernel-threads.test.ts',
      title: 'are not known where process 2 is %s',
    },
  },
  {
    name: 'the end of a command is told while its own sweep still looks',
    area: 'guard',
    file: 'activities/process/guard/command.ts',
    find: 'await this.ending;',
    replace: '',
    test: {
      file: 'test/unit/process/tended-command.test.ts',
      title: 'is told once nothing goes on ending it, which met what is started under its token next',
    },
  },
  {
    name: 'a config may choose the turn tag',
    area: 'guard',
    file: 'activities/process/guard/parent-shell.ts',
    find: '{ ...spec.env, [TURN_TAG]: spec.token }',
    replace: '{ [TURN_TAG]: spec.token, ...spec.env }',
    test: { file: COMMANDS, title: 'has its output in files, its own exit code, and the turn tag in its environment' },
  },
  {
    name: 'the folder of an exit is not flushed under durability power',
    area: 'guard',
    file: MARKS,
    find: "if (durability === 'power') flushFolder(dir);",
    replace: '',
    test: {
      file: 'test/unit/process/durability.test.ts',
      title: 'flushes file and folder of a mark under power, and nothing under process',
    },
  },
  {
    name: 'a command that removes its own folder is started again without end',
    area: 'guard',
    file: 'activities/process/guard/command-folder.ts',
    find: 'if (!isFolder(dirname(dir))) return false;',
    replace: 'if (!isFolder(dir)) return false;',
    test: { file: ATTACKED, title: '%s comes to its end, and is not started again' },
  },
  {
    name: 'the end of a command is written where a link leads that it left in the place of its folder',
    area: 'guard',
    file: 'activities/process/guard/command-folder.ts',
    find: 'if (lstatSync(dir, { throwIfNoEntry: false })?.isDirectory() === true) return true;',
    replace: 'if (isFolder(dir)) return true;',
    test: { file: ATTACKED, title: 'and leaves a link in its place has nothing written where that leads' },
  },
  {
    name: 'an end that cannot be read ends the guard',
    area: 'guard',
    file: 'activities/process/guard/guard-server.ts',
    find: 'void command.ended.catch(() => null).then(tell);',
    replace: 'void command.ended.then(tell);',
    test: { file: LOCKED, title: 'the folder of its run comes to no end that is known, and the guard goes on' },
  },
  {
    name: 'a command that cannot be taken off the list ends the guard',
    area: 'guard',
    file: GUARD_COMMANDS,
    find: ".catch(note('a command that ended could not be taken off the list'))",
    replace: '',
    test: { file: LOCKED, title: 'the folder of the list of commands comes to its end, and the guard goes on' },
  },
];
