/** Finds or builds every program that the team server needs; nothing is started here. Plain JavaScript, since jest does not transform its imports. */
import { tsImport } from 'tsx/esm/api';

// oxlint-disable-next-line import/no-default-export -- jest calls the default export
export default async function setUp() {
  const say = (text) => process.stderr.write(`e2e:postgres: ${text}\n`);
  globalThis.sluiceTeamServerBegan = performance.now();
  const { findPostgresPrograms, postgresVersion } = await tsImport('./postgres-programs.ts', import.meta.url);
  const { buildGoPrograms } = await tsImport('./go-programs.ts', import.meta.url);
  const { findServerBinary } = await tsImport(
    '../../worker/local-engine/server-binary/find-server-binary.ts',
    import.meta.url,
  );
  const postgres = findPostgresPrograms();
  say(`${postgresVersion(postgres)} in ${postgres}`);
  const go = await buildGoPrograms(say);
  const { path: temporal } = await findServerBinary({ onProgress: say });
  process.env.SLUICE_TEAM_SERVER_PROGRAMS = JSON.stringify({ postgres, go, temporal });
}
