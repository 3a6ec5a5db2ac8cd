/** What a turn hands to its agent: the composed prompt and the command that the guard starts. */

import type { CommandOutput, RunTurnInput } from '../../protocol/messages/messages.js';
import { titleOf } from '../../protocol/messages/run-input.js';
import type { ArtifactRef } from '../../protocol/run/artifact.js';
import type { Finding } from '../../protocol/run/finding.js';
import type { ValidationReport } from '../../protocol/run/outcomes.js';
import type { AgentConfig, Policy, ToolLevel } from '../../protocol/run/policy.js';
import { adapterOf } from '../agent/agent-adapters.js';
import type { AgentAdapter, TurnCommand, TurnRequest } from '../agent/contract.js';
import { toolLevelOf } from '../agent/environment/tool-level.js';
import { stagePolicyOf } from '../agent/environment/turn-agent.js';
import { type ComposedPrompt, composePrompt } from '../agent/prompts/compose-prompt.js';
import { contextBytesOf } from '../agent/prompts/context-share.js';
import type { ArtifactStore } from '../journal/artifact-store.js';
import { readList } from '../journal/read-list.js';
import { stepPromptOf } from '../steps/step-prompt.js';
import type { HostDeps } from '../unit/host-deps.js';
import { artifactsOf } from '../unit/run-projection.js';
import type { RunOnHost } from '../unit/run-record.js';
import type { TurnOnHost } from '../unit/turn-on-host.js';
