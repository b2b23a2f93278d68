import { z } from 'zod';
import { oddPath, PATH_NAME, PATH_NAME_RULE, parseBytes, parseRate, shortened, withoutEnd } from '../base/index.ts';

/** Text such as `200mbit`, read as bits per second; the message of `parseRate` becomes the issue's. */
function parsed<T>(parse: (text: string) => T) {
  return z.union([z.string(), z.number()]).transform((value, context): T => {
    try {
      return parse(String(value));
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}

/** A host or range as written in the file. */
export const hostEntrySchema = z.union([
  z.string().min(1),
  z.strictObject({
    /** A name or a range: node[01-32]. */
    name: z.string().min(1),
    /** Where SSH connects, if not the name itself. */
    address: z.string().min(1).optional(),
  }),
]);

const pathSchema = z.string().startsWith('/', 'give an absolute path');

/** A folder that launchers, loaders and sudo's rules can all name (`oddPath`); without slashes at its end. */
const folderSchema = z
  .string()
  .superRefine((path, { addIssue }) => {
    const why = oddPath(path);
    if (why !== null) addIssue({ code: 'custom', message: `name another folder than '${shortened(path)}': ${why}` });
  })
  .transform((path) => withoutEnd(path, '/'));

/** A number or truth value stands for its text; lists and sections are errors. */
const textSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String);

export const launcherSchema = z.enum(['openmpi', 'mpich', 'srun']);
export type LauncherName = z.infer<typeof launcherSchema>;

/** The inventory file: who takes part. docs/inventory.md explains each key with an example. */
export const inventoryFileSchema = z.strictObject({
  cluster: z.string().regex(PATH_NAME, PATH_NAME_RULE),
  /** The word `slurm` in place of the list stands for the names of the allocation (load-inventory.ts). */
  hosts: z.array(hostEntrySchema).min(1, 'name at least one host'),
  ssh: z
    .strictObject({
      user: z.string().min(1).optional(),
      port: z.int().min(1).max(65535).optional(),
      key: z.string().min(1).optional(),
      knownHosts: z.string().min(1).optional(),
      /** As in ssh_config: %h and %p are host and port. */
      proxyCommand: z.string().min(1).optional(),
      /** An ssh_config file to resolve names with; ~/.ssh/config by default, `none` for no file. */
      config: z.string().min(1).optional(),
    })
    .prefault({}),
  network: z
    .strictObject({
      /** As predict-agent takes it (agents/host/link-state.c). */
      interface: z
        .string()
        .regex(
          /^[A-Za-z0-9_@][A-Za-z0-9_.@-]{0,14}$/,
          "an interface's name has 15 characters at most: letters, digits and _ . @ -, with no dot or dash in front",
        )
        .optional(),
      cidr: z.cidrv4('write an IPv4 network such as 10.0.0.0/24').optional(),
    })
    .refine((network) => network.interface !== undefined || network.cidr !== undefined, {
      message: 'give the data interface (interface: eth0) or the data network (cidr: 10.0.0.0/24)',
    }),
  lineRate: parsed(parseRate),
  ranksPerNode: z.int().positive().default(1),
  mpi: z
    .strictObject({
      /** By default openmpi, and srun where the hosts are SLURM's. */
      launcher: launcherSchema.optional(),
      /** The launcher's program, if not on the PATH. */
      command: z.string().min(1).optional(),
      args: z.array(textSchema).default([]),
      /** Environment of every rank. */
      env: z.record(z.string(), textSchema).default({}),
      /** The host on which the launcher runs; the first host of each run by default. */
      head: hostEntrySchema.optional(),
    })
    .prefault({}),
  work: z
    .strictObject({
      /** Without it: /var/lib/predict/work for root, .predict in the home of other users. */
      folder: folderSchema.optional(),
      /** True where all hosts see the same folder (NFS, the lab): files are then copied once. */
      shared: z.boolean().default(false),
    })
    .prefault({}),
  /** Where programs of ours are on every host already; without it they are compiled on the head host. */
  programs: z.strictObject({ graph500: pathSchema.optional(), graphalytics: pathSchema.optional() }).prefault({}),
  costPerNodeHour: z.number().positive().optional(),
  memoryPerNode: parsed(parseBytes).optional(),
  sampling: z
    .strictObject({
      hz: z.number().positive().max(1000).default(20),
      /** Folders of the control group that holds a host's processes, where the host's own counters show more. */
      cgroup: z.array(z.string()).default([]),
      /** Cores that the ranks of a host keep to of themselves, where no quota says so (the lab). */
      cores: z.number().positive().optional(),
    })
    .prefault({}),
});

/** One host, its range expanded. */
export interface Host {
  readonly name: string;
  readonly address: string | undefined;
}

/** A validated inventory with expanded hosts; rates in bits per second, sizes in bytes. */
export type Inventory = Omit<z.output<typeof inventoryFileSchema>, 'hosts' | 'mpi'> & {
  readonly path: string;
  readonly hosts: readonly Host[];
  /** The job whose hosts these are; undefined where the file names them. */
  readonly slurmJob?: string;
  readonly mpi: Omit<z.output<typeof inventoryFileSchema>['mpi'], 'head' | 'launcher'> & {
    readonly launcher: LauncherName;
    readonly head: Host | undefined;
  };
};
