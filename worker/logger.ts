/** One logger for the SDK and for us: JSON lines on stderr, every text redacted. The engine keeps them in its worker log. */
import { DefaultLogger, type LogEntry, type Logger, type LogLevel } from '@temporalio/worker';
import { pino } from 'pino';
import { redact } from '../protocol/text/redact.js';

const LEVELS: Readonly<Record<LogLevel, 'trace' | 'debug' | 'info' | 'warn' | 'error'>> = {
  TRACE: 'trace',
  DEBUG: 'debug',
  INFO: 'info',
  WARN: 'warn',
  ERROR: 'error',
};

/** Unit: bytes; longer than any line. */
const MOST_HELD = 1024 * 1024;

export function createLogger(level: LogLevel): Logger {
  // Its file may lie on a disk that is full. What cannot be logged is lost but for what is held, and whoever logged it goes on.
  const destination = pino.destination({ dest: 2, sync: true, maxLength: MOST_HELD });
  destination.on('error', () => undefined);
  const out = pino(
    { level: LEVELS[level], base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
    destination,
  );
  return new DefaultLogger(level, ({ level: of, message, meta }: LogEntry) => out[LEVELS[of]](meta ?? {}, message));
}
