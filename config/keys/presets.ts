/** Presets: policy under names, in the shape of a config file. A key that a preset does not set keeps its default. */
export const PRESET_NAMES = ['default', 'vibestrate', 'skep'] as const;

export type PresetName = (typeof PRESET_NAMES)[number];

const VIBESTRATE = { stageList: 'full', rounds: 2, validation: { baseFailures: 'fix' } } as const;

/** Tasks are compared, judged and planned; a person decides about the plan, and what comes of it lands without another gate. Source: S-111, docs/requirements/skep.md. */
const SKEP = {
  stageList: ['planning', 'executing', 'validating'],
  admission: { order: ['dedup', ['classify', 'plan']], autoExecuteSmall: false },
  dedup: { onHit: 'block', ask: true },
  execute: { until: 'steps', stepCheck: 'none', commits: 'keep' },
  backlog: { maxConcurrent: 1, order: 'priority' },
  landing: { mode: 'auto', needs: 'checked' },
  branch: { prefix: 'skep/' },
} as const;

/** Source: docs/requirements/vibestrate.md "Config keys"; `default` is `vibestrate`. */
export const PRESETS: Readonly<Record<PresetName, Readonly<Record<string, unknown>>>> = {
  default: VIBESTRATE,
  vibestrate: VIBESTRATE,
  skep: SKEP,
};
