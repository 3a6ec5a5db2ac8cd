/**
 * The mark `<home>/temporal.db.making`: the server is making the tables of a new database, or was cut short at it. It makes them only where there is no file, in
 * a hundred statements that no transaction holds together, so that what a killed server left would never become a database.
 * No worker starts before the mark is gone: what lies beside one has no run in it.
 */
import { existsSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { flushFolder, replaceFile } from '../../../config/system/replace-file.js';
import type { EnginePaths } from './engine-paths.js';

type Files = Pick<EnginePaths, 'database' | 'databaseMark'>;

/** Asked before the server starts. Effects: removes what a start that was cut short left; marks that a database is made, where there is none. */
export function beginDatabase({ database, databaseMark }: Files): void {
  if (existsSync(databaseMark)) for (const file of filesOf(database)) rmSync(file, { force: true });
  if (!existsSync(database)) replaceFile(databaseMark, '', 'flushed');
}

/** The server works, so its tables are there. They reach the disk before the mark goes. Errors: those of the disk; then no run may begin. */
export function confirmDatabase({ database, databaseMark }: Files): void {
  if (!existsSync(databaseMark)) return;
  // Whichever process wrote them: of a file its bytes, of a folder its entries.
  for (const path of [...filesOf(database).filter((file) => existsSync(file)), dirname(database)]) flushFolder(path);
  rmSync(databaseMark);
  // A mark that came back after a power cut would cost the runs that began meanwhile.
  flushFolder(dirname(databaseMark));
}

function filesOf(database: string): readonly string[] {
  return ['', '-wal', '-shm'].map((suffix) => `${database}${suffix}`);
}
