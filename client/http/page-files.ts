/** The page's own files, as the build made them; they hold no data. Read once, when the server starts. */
import { join } from 'node:path';
import { PACKAGE_ROOT } from '../../config/system/entries.js';
import { readForeignFile, textOf } from '../../config/system/foreign-file.js';

export interface PageFile {
  readonly type: string;
  readonly text: string;
}

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'main.js': 'text/javascript; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
} as const satisfies Readonly<Record<string, string>>;

export type PageFileName = keyof typeof TYPES;

/** **Unit** bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/** Errors: plain Error where the build did not make it. */
export async function readPageFile(name: PageFileName): Promise<PageFile> {
  const text = await readForeignFile(join(PACKAGE_ROOT, 'dist/page', name), { maxBytes: MAX_BYTES }).then(textOf);
  if (text === null) throw new Error(`the page is not built: dist/page/${name} is not there`);
  return { type: TYPES[name], text };
}
