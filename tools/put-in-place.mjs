/** A folder of the build is made beside its place and put there by rename: nobody finds it half made, and a build that fails leaves the old one. */
import { existsSync, renameSync, rmSync } from 'node:fs';

/** Where `putInPlace` takes the new one from. Of this process alone. */
export function besideOf(target) {
  return `${target}.${process.pid}.tmp`;
}

/** `make` fills `besideOf(target)`. */
export async function putInPlace(target, make) {
  const fresh = besideOf(target);
  const old = `${fresh}.old`;
  try {
    await make();
    if (existsSync(target)) renameSync(target, old);
    renameSync(fresh, target);
  } finally {
    for (const folder of [fresh, old]) rmSync(folder, { recursive: true, force: true });
  }
}
