/** The licences of the packages that are packed into what we build. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The text of each package's licence, or its name where it comes without a text. `paths`: of files in node_modules, from `root`. */
export function noticesOf(root, paths) {
  const folders = paths.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path) ?? []);
  const notices = [...new Set(folders)]
    .toSorted((a, b) => a.localeCompare(b))
    .map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
      const texts = readdirSync(join(root, folder)).filter((file) => /^(?:licen[cs]e|notice|copying)/i.test(file));
      const text = texts.map((file) => readFileSync(join(root, folder, file), 'utf8').trim()).join('\n\n');
      return `${name} ${version} (${license ?? 'licence: see its text'})\n\n${text}\n`;
    });
  return notices.join(`\n${'-'.repeat(80)}\n\n`);
}
