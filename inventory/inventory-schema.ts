import { z } from 'zod';
import { at } from '../base/lists.ts';
import { oddPath, PATH_NAME, PATH_NAME_RULE } from '../base/paths.ts';
import { shortened, withoutEnd } from '../base/text.ts';
import { BYTES, parseBytes, parseRate, RATE } from '../base/units.ts';

/** Text such as `200mbit`, read as a number; the message of what reads it becomes the issue's. */
function parsed<T>(written: z.ZodType<string | number>, parse: (text: string) => T) {
  return written.transform((value, context): T => {
    try {
      return parse(String(value));
    } catch (error) {
      context.addIssue({ code: 'custom', message: error instanceof Error ? error.message : String(error) });
      return z.NEVER;
    }
  });
}

const textOrNumber = z.union([z.string(), z.number()]);
const optionalText = z.string().min(1).optional();

/** A host or range as written in the file. */
export const hostEntrySchema = z.union([
  z.string().min(1),
  z.strictObject({
    name: z.string().min(1).describe('a name or a range: node[01-32]'),
    address: optionalText.describe(
      'where SSH connects; a range pairs with the names one to one; by default what ssh_config says, else the name',
    ),
  }),
]);

const pathSchema = z.string().startsWith('/', 'give an absolute path');

/** A folder that launchers, loaders and sudo's rules can all name (`oddPath`); without slashes at its end. */
const folderSchema = z
  .string()
  .meta({ pattern: '^/' })
  .superRefine((path, { addIssue }) => {
    const why = oddPath(path);
    if (why !== null) addIssue({ code: 'custom', message: `name another folder than '${shortened(path)}': ${why}` });
  })
  .transform((path) => withoutEnd(path, '/'));

/** Kinds of bundled workloads that a worker of a fleet runs unless the inventory says otherwise. */
const ALLOWED = ['graph500', 'graphalytics'] as const;

/** A number or truth value stands for its text; lists and sections are errors. */
const textSchema = z.union([z.string(), z.number(), z.boolean()]).transform(String);

export const launcherSchema = z.enum(['openmpi', 'mpich', 'srun', 'flux']);
export type LauncherName = z.infer<typeof launcherSchema>;

export const schedulerSchema = z.enum(['slurm', 'pbs', 'lsf', 'flux']);
export type SchedulerName = z.infer<typeof schedulerSchema>;

/** As predict-agent takes it (agents/host/link-state.c). */
const interfaceSchema = z
  .string()
  .regex(
    /^[A-Za-z0-9_@][A-Za-z0-9_.@-]{0,14}$/,
    "an interface's name has 15 characters at most: letters, digits and _ . @ -, with no dot or dash in front",
  );

/** The inventory file: who takes part. docs/tables.md lists each key with its description. */
export const inventoryFileSchema = z.strictObject({
  cluster: z
    .string()
    .regex(PATH_NAME, PATH_NAME_RULE)
    .meta({ examples: ['my-cluster'], description: 'name of the cluster' }),
  /** The name of a scheduler in place of the list stands for the hosts of the allocation (load-inventory.ts). */
  hosts: z
    .array(hostEntrySchema)
    .min(1, 'name at least one host')
    .meta({ examples: [['node[01-04]']], description: 'names, ranges, or entries with name and address' }),
  ssh: z
    .strictObject({
      user: optionalText.describe('user on the hosts; by default that of ssh_config, else the local user'),
      port: z.int().min(1).max(65535).optional().describe('port of SSH; by default that of ssh_config, else 22'),
      key: optionalText.describe(
        'private key file, which only its owner may read; by default those of ssh_config and the agent',
      ),
      knownHosts: optionalText.describe(
        "the only file that holds the hosts' keys; by default ssh_config's and ~/.ssh/known_hosts",
      ),
      proxyCommand: optionalText.describe(
        'command whose streams lead to a host: %h, %p, %r are host, port, user; wins over ProxyJump',
      ),
      config: optionalText.describe('an ssh_config file in place of ~/.ssh/config, or none for no file'),
    })
    .prefault({})
    .describe('how to connect; wins over ssh_config'),
  network: z
    .strictObject({
      interface: interfaceSchema
        .optional()
        .describe(
          "the interface's name, where it is the same on all hosts; by default the one with an address in cidr",
        ),
      cidr: z
        .cidrv4('write an IPv4 network such as 10.0.0.0/24')
        .optional()
        .describe("the data network, to find each host's interface and to throttle only this IPv4 traffic"),
      /** As predict-agent takes it (agents/host/link-queue.c). */
      queue: z
        .string()
        .regex(/^(fair|fq_codel|\d{1,4}(\.\d{1,3})?ms)$/, 'write fair, fq_codel or a time such as 5ms')
        .default('fair')
        .describe(
          'how messages wait behind a throttled rate: flows in turn (fair), in one queue of at most a time (5ms), or as fq_codel has it',
        ),
      beside: z
        .union([interfaceSchema.transform((name) => [name]), z.array(interfaceSchema)])
        .default([])
        .describe('other interfaces that may carry traffic during runs, such as that of storage: eth1, or a list'),
      blocking: z
        .union([z.boolean(), z.enum(['yes', 'no']).transform((word) => word === 'yes'), z.literal('probe')])
        .default(true)
        .describe(
          'no where the switch carries all links at full rate, so that runs on different hosts may go in parallel. The word probe finds out before each sweep',
        ),
    })
    .refine((network) => network.interface !== undefined || network.cidr !== undefined, {
      message: 'give the data interface (interface: eth0) or the data network (cidr: 10.0.0.0/24)',
    })
    .meta({
      description: 'the data network that is throttled: give one key or both',
      examples: [{ interface: 'eth0' }],
      anyOf: [{ required: ['interface'] }, { required: ['cidr'] }],
    }),
  lineRate: parsed(
    textOrNumber.meta({ examples: ['200mbit'], type: 'string', pattern: RATE.source }),
    parseRate,
  ).describe("rate of one host's link with its unit, of bits (200mbit) or bytes (25MB/s): 100 % bandwidth"),
  accept: z
    .union([
      z
        .string()
        .min(1)
        .transform((text) => [text]),
      z.array(z.string().min(1)),
    ])
    .default([])
    .describe('hosts whose links are measured although they are slower than what is set: node05, or a list'),
  allow: z
    .array(z.union([z.enum(ALLOWED), pathSchema]))
    .default([...ALLOWED])
    .describe('what a worker of a fleet runs here: graph500, graphalytics, absolute paths of programs on the hosts'),
  ranksPerNode: z.int().positive().default(1).describe('MPI ranks on each host'),
  mpi: z
    .strictObject({
      launcher: launcherSchema
        .optional()
        .describe("what starts ranks; by default openmpi, or srun or flux where the hosts are SLURM's or Flux's"),
      command: optionalText.describe("the launcher's program, if not on the PATH"),
      args: z.array(textSchema).default([]).describe('further arguments of the launcher'),
      env: z.record(z.string(), textSchema).default({}).describe('environment of every rank; numbers stay as written'),
      head: hostEntrySchema
        .optional()
        .describe('the host on which the launcher runs; the first host of each run by default'),
    })
    .prefault({})
    .describe('how runs start'),
  work: z
    .strictObject({
      folder: folderSchema
        .optional()
        .describe(
          'absolute path on every host, which only the ssh user and root may change; by default /var/lib/predict/work for root, else ~/.predict',
        ),
      shared: z.boolean().default(false).describe('true where all hosts see the same folder, such as NFS'),
    })
    .prefault({})
    .describe('where files go on the hosts'),
  programs: z
    .strictObject({
      graph500: pathSchema.optional().describe('absolute path of predict-graph500'),
      graphalytics: pathSchema.optional().describe('absolute path of predict-graphalytics'),
    })
    .prefault({})
    .describe('where bundled programs are on every host already; else the host that starts runs compiles them'),
  costPerNodeHour: z
    .number()
    .positive()
    .optional()
    .describe('price of a host for one hour, in any currency; without it no costs are shown'),
  memoryPerNode: parsed(textOrNumber.meta({ pattern: BYTES.source }), parseBytes)
    .optional()
    .describe('memory of a host: 256GiB, 64GB; by default what the hosts report'),
  sampling: z
    .strictObject({
      hz: z.number().positive().max(1000).default(20).describe('samples per second'),
      cgroup: z
        .array(z.string())
        .default([])
        .describe(
          "folders of the control group that holds a host's processes, where its own counters show more; /proc for those of its PID namespace",
        ),
      cores: z
        .number()
        .positive()
        .optional()
        .describe('cores that the ranks of a host keep to of themselves, where no quota says so'),
    })
    .prefault({})
    .describe('measuring the hosts during runs'),
});

/** As people write it: with the name of a scheduler too. */
export const writtenInventorySchema = inventoryFileSchema
  .extend({
    hosts: z
      .union([inventoryFileSchema.shape.hosts, schedulerSchema])
      .describe(
        'names, ranges and entries with name and address; or slurm, pbs, lsf or flux, for those of its allocation',
      ),
  })
  .meta({ title: 'Inventory of predict', description: 'who takes part: hosts, SSH, the data network, MPI' });

/** One host, its range expanded. */
export interface Host {
  readonly name: string;
  readonly address: string | undefined;
}

/** A job of a scheduler. */
export interface BatchJob {
  readonly scheduler: SchedulerName;
  readonly id: string;
}

/** A validated inventory with expanded hosts; rates in bits per second, sizes in bytes. */
export type Inventory = Omit<z.output<typeof inventoryFileSchema>, 'hosts' | 'mpi' | 'accept'> & {
  readonly path: string;
  readonly hosts: readonly Host[];
  /** Names of hosts, ranges expanded. */
  readonly accept: readonly string[];
  /** The job whose hosts these are; undefined where the file names them. */
  readonly job?: BatchJob;
  readonly mpi: Omit<z.output<typeof inventoryFileSchema>['mpi'], 'head' | 'launcher'> & {
    readonly launcher: LauncherName;
    readonly head: Host | undefined;
  };
};

type Known = Pick<Inventory, 'hosts' | 'mpi'>;

/** The host that starts every run: the inventory's head, else the first host. */
export function headOf({ hosts, mpi }: Known): Host {
  return mpi.head ?? at(hosts, 0);
}

/** The hosts of a run on the first `nodes` of them, all by default, and the one that starts it; it may be one of them. */
export function withHead(inventory: Known, nodes?: number): readonly Host[] {
  const used = inventory.hosts.slice(0, nodes);
  const head = headOf(inventory);
  return used.some(({ name }) => name === head.name) ? used : [...used, head];
}
