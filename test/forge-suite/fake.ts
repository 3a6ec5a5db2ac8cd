/** A fake forge in a process of its own, for `npm run forge:check` where there is no network: prints what it has to be told, and goes on until it is ended. */
import { join } from 'node:path';
import { openFakeForge } from '../support/forge/fake-forge.js';
import { tempFolder } from '../unit/git/repository-fixture.js';

const { state, apiUrl, token } = await openFakeForge(join(tempFolder(), 'forge'));
state.commit('main', 'README.md', 'hello\n');
console.log(`GH_TOKEN=${token} npm run forge:check -- ${state.name} --api-url ${apiUrl}`);
