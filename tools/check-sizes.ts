/** Refuses files that have grown past what a person reads at once: workflow 300 lines, other source 400, test 500. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

const LIMITS: readonly { readonly folder: string; readonly lines: number }[] = [
  { folder: 'workflows', lines: 300 },
  ...['protocol', 'config', 'wire', 'activities', 'worker', 'client', 'page', 'bench', 'tools'].map((folder) => ({
    folder,
    lines: 400,
  })),
  { folder: 'test', lines: 500 },
];

const tooLong = LIMITS.filter(({ folder }) => existsSync(folder)).flatMap(({ folder, lines }) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|mjs|js)$/.test(name) && !name.startsWith('fixtures/'))
    .map((name) => ({
      file: `${folder}/${name}`,
      limit: lines,
      has: readFileSync(`${folder}/${name}`, 'utf8').trimEnd().split('\n').length,
    }))
    .filter(({ has, limit }) => has > limit),
);

for (const { file, has, limit } of tooLong) {
  console.error(`${file} has ${has} lines; the limit is ${limit}. Split it by what its parts are for.`);
}
process.exitCode = tooLong.length === 0 ? 0 : 1;
