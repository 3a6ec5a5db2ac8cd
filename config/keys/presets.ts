/** Presets: policy under names, in the shape of a config file. A key that a preset does not set keeps its default. */
import type { PRESET_NAMES } from './keys.js';

export type PresetName = (typeof PRESET_NAMES)[number];

const VIBESTRATE = { stageList: 'full', rounds: 2, validation: { baseFailures: 'fix' } } as const;

/** Source: docs/requirements/vibestrate.md "Config keys"; `default` is `vibestrate`. */
export const PRESETS: Readonly<Record<PresetName, Readonly<Record<string, unknown>>>> = {
  default: VIBESTRATE,
  vibestrate: VIBESTRATE,
};
