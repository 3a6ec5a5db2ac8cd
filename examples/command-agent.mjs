#!/usr/bin/env node
/**
 * An agent is any program: the prompt comes on standard input, the worktree is the current folder, what it prints is its answer.
 * This one writes its task into NOTES.md, and agrees with whatever it is asked to judge. Put a model, or a person, in its place.
 *
 *     sluice init --agent command -- "$PWD/examples/command-agent.mjs"
 */
import { appendFileSync, readFileSync } from 'node:fs';

const prompt = readFileSync(0, 'utf8');
// The first line of a prompt: [stage:executing] [round:0] [ask:work]. SLUICE_STAGE says the same.
const stage = /^\[stage:(\w+)\]/.exec(prompt)?.[1];
// A decision counts only with the code of this prompt, which stands in its last such line; earlier ones are quoted from other turns.
const [, keyword, code] = [...prompt.matchAll(/^(DECISION|VERIFICATION) (\S+):/gm)].at(-1) ?? [];

if (stage === 'executing') appendFileSync('NOTES.md', `- ${new Date().toISOString()}: the agent was here\n`);
console.log(`This is the answer of stage ${stage}.`);
if (stage === 'reviewing') console.log(`${keyword} ${code}: APPROVED`);
if (stage === 'verifying') console.log(`${keyword} ${code}: PASSED`);
