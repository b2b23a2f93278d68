import { resolveTarget } from '../../inventory/index.ts';
import type { OpenExecutor } from '../hosts/executor.ts';
import { Session } from './session.ts';

/** The way to a host over SSH, as the inventory and ssh_config say. */
export const openSession: OpenExecutor = (host, inventory) => new Session(resolveTarget(host, inventory));
