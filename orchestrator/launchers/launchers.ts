import type { LauncherName } from '../../inventory/inventory-schema.ts';
import type { Launcher } from './launcher.ts';
import { mpich } from './mpich.ts';
import { openmpi } from './openmpi.ts';
import { srun } from './srun.ts';

export const LAUNCHERS: Readonly<Record<LauncherName, Launcher>> = { openmpi, mpich, srun };
