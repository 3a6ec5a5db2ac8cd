/** Redaction of what leaves, and text that could steer a terminal. */
import type { Mutant } from '../mutant.js';

export const SECRET_MUTANTS: readonly Mutant[] = [
  {
    name: 'a sequence without an end is looked for past the next one',
    area: 'secrets',
    file: 'protocol/text/printable.ts',
    find: '[^\\x07\\x1b\\x90\\x98\\x9c-\\x9f]*',
    replace: '[^\\x07\\x1b\\x9c]*',
    test: {
      file: 'test/unit/protocol/printable.test.ts',
      title: 'costs in proportion to its length where that is many of %j',
    },
  },
  {
    name: 'an error whose message cannot be assigned is lost',
    area: 'secrets',
    file: 'activities/unit/run-redactor.ts',
    find: 'if (hidden !== said) Object.defineProperty(error, name, { value: hidden, configurable: true, writable: true });',
    replace: 'error[name] = hidden;',
    test: {
      file: 'test/unit/run/hidden-values.test.ts',
      title: 'stands in no error of the platform whose message is %j, and that error is thrown',
    },
  },
  {
    name: 'redaction of payloads is forgotten',
    area: 'secrets',
    file: 'wire/redacting-codec.ts',
    find: 'payloads.map(redacted)',
    replace: 'payloads',
    test: {
      file: 'test/unit/wire/redacting.test.ts',
      title: 'has no secret of a known shape in a payload, and stays the same value otherwise',
    },
  },
  {
    name: 'the stack of a failure is not redacted',
    area: 'secrets',
    file: 'wire/redacting-failure-converter.ts',
    find: 'stackTrace: shortened(failure.stackTrace, MAX_STACK_CHARS),',
    replace: '',
    test: {
      file: 'test/unit/wire/redacting.test.ts',
      title: 'has no secret in a failure, its cause or its stack, and no endless message',
    },
  },
  {
    name: 'the journal shows secrets',
    area: 'secrets',
    file: 'activities/journal/events-file.ts',
    find: 'message: redactor.text(message), data: redactor.json(data)',
    replace: 'message, data',
    test: { file: 'test/unit/journal/events-file.test.ts', title: 'keeps a secret out of the file' },
  },
  {
    name: 'an artifact is stored as it came',
    area: 'secrets',
    file: 'activities/journal/artifact-store.ts',
    find: 'write(redactor.text(text), mediaType)',
    replace: 'write(text, mediaType)',
    test: {
      file: 'test/unit/journal/write-file.test.ts',
      title: 'stores a redacted text under its hash, once, and gives it back',
    },
  },
  {
    name: 'the output of a turn is shown as it came',
    area: 'secrets',
    file: 'activities/journal/copy-redacted.ts',
    find: 'this.write(this.stream.push(this.decoder.write(block)));',
    replace: 'this.write(this.decoder.write(block));',
    test: {
      file: 'test/unit/journal/projection.test.ts',
      title: 'holds each turn with its prompt, output, stream and summary, without the secrets in them',
    },
  },
  {
    name: 'a notification tells secrets',
    area: 'secrets',
    file: 'activities/notify/deliver.ts',
    find: 'JSON.stringify(redactorOf({ record }).json({ ...notification } as Record<string, Json>))',
    replace: 'JSON.stringify({ ...notification } as Record<string, Json>)',
    test: {
      file: 'test/unit/notify/deliver.test.ts',
      title: 'tells no secret, and hands a program neither forge token nor server address',
    },
  },
  {
    name: "the agent's own commit messages are folded in with their secrets",
    area: 'secrets',
    file: 'activities/git/run/commit.ts',
    find: 'const message = redactor.text(record.slice(end + 1).trim()).slice(0, MAX_MESSAGE_LENGTH);',
    replace: 'const message = record.slice(end + 1).trim().slice(0, MAX_MESSAGE_LENGTH);',
    test: { file: 'test/unit/git/agent-mischief.test.ts', title: 'is folded without the secrets in its message' },
  },
  {
    name: 'a secret across a forced cut is not seen',
    area: 'secrets',
    file: 'protocol/text/redact.ts',
    find: 'const cut = suspect < 0 ? latest : Math.min(latest, latest - TOKEN_WINDOW_CHARS + suspect);',
    replace: 'const cut = latest;',
    test: {
      file: 'test/unit/protocol/redact.test.ts',
      title: 'finds a token that lies across a forced cut of a line without an end',
    },
  },
  {
    name: 'only the first control character of a text is made visible',
    area: 'secrets',
    file: 'protocol/text/printable.ts',
    find: "new RegExp(UNSAFE_CHARS, 'gu')",
    replace: "new RegExp(UNSAFE_CHARS, 'u')",
    test: {
      file: 'test/unit/protocol/printable.test.ts',
      title: 'leaves no control character but newline and tab, no bidi control and no separator in any text',
    },
  },
  {
    name: 'the name of a secret file is passed over',
    area: 'secrets',
    file: 'activities/git/inspect/diff-check.ts',
    find: '...kept.flatMap(findSecretFile), ',
    replace: '',
    test: {
      file: 'test/unit/git/diff-check.test.ts',
      title: 'finds a secret-like file that was added or changed, not one that was removed',
    },
  },
  {
    name: 'a token in an added line is passed over',
    area: 'secrets',
    file: 'activities/git/inspect/diff-check.ts',
    find: ', ...tokens.flat()]',
    replace: ']',
    test: { file: 'test/unit/git/diff-check.test.ts', title: 'finds a token in an added line and does not repeat it' },
  },
];
