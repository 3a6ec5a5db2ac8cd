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

export function createLogger(level: LogLevel): Logger {
  const out = pino(
    { level: LEVELS[level], base: null, timestamp: pino.stdTimeFunctions.isoTime, hooks: { streamWrite: redact } },
    pino.destination({ dest: 2, sync: true }),
  );
  return new DefaultLogger(level, ({ level: of, message, meta }: LogEntry) => out[LEVELS[of]](meta ?? {}, message));
}
