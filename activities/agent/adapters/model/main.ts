/**
 * Asks a model once: `node main.js --provider … --model … --answer …`, prompt on stdin, JSON events on stdout, the provider's key in the environment.
 * Nothing is asked a second time: waits and repeats are the run's. What arrives is printed as it arrives, so that the stall timer of the guard sees life,
 * and never the key, whoever quotes it.
 */
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { closeForeignDescriptors } from '../../../../config/system/foreign-descriptors.js';
import { MODEL_PROVIDERS } from '../../../../protocol/run/policy.js';
import { ANSWER_KINDS } from './answer-schema.js';
import { askModel, type Question } from './ask-model.js';
import { callErrorOf } from './call-error.js';
import { KEY_VARIABLES } from './provider-keys.js';

closeForeignDescriptors();
void main().then((code) => {
  process.exitCode = code;
});

async function main(): Promise<number> {
  const question = questionOf(process.argv.slice(2));
  const key = process.env[KEY_VARIABLES[question.provider]] ?? '';
  const print = (event: Readonly<Record<string, unknown>>) => {
    const line = JSON.stringify(event);
    process.stdout.write(`${key === '' ? line : line.replaceAll(key, '[redacted]')}\n`);
  };
  try {
    const prompt = await text(process.stdin);
    await askModel(question, { prompt, key, print });
    return 0;
  } catch (error) {
    print({ type: 'error', ...callErrorOf(error) });
    return 1;
  }
}

/** Errors: plain Error; the engine writes these arguments. */
function questionOf(args: readonly string[]): Question {
  const option = { type: 'string' } as const;
  const options = { provider: option, model: option, answer: option, 'base-url': option, effort: option };
  const { values } = parseArgs({ args: [...args], options });
  const provider = MODEL_PROVIDERS.find((known) => known === values.provider);
  const answer = ANSWER_KINDS.find((known) => known === values.answer);
  if (provider === undefined || answer === undefined || values.model === undefined)
    throw new Error('asked for without provider, model or answer');
  return { provider, model: values.model, answer, baseUrl: values['base-url'] ?? null, effort: values.effort ?? null };
}
