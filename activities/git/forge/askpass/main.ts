/** What git starts for a password: hands its question to the worker, over the socket beside the script that started it, and prints the answer. */
import { connect } from 'node:net';
import { dirname, join } from 'node:path';

const [script = '', prompt = ''] = process.argv.slice(2);

const socket = connect(join(dirname(script), 'ask.sock'));
socket.on('error', () => process.exit(1));
socket.on('data', (answer) => process.stdout.write(answer));
socket.on('end', () => process.stdout.write('\n'));
socket.write(prompt);
