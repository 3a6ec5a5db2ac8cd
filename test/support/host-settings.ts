/** The user's own config file of a test host: settings of its worker and guard, read when a worker starts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { userConfigPath } from '../../config/home/home.js';
import type { TestHost } from './test-host.js';

export function writeHostSettings(host: TestHost, yaml: string): void {
  const path = userConfigPath(host.env);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, yaml);
}
