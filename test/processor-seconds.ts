/** Seconds of a processor that this process takes for a task, whatever else the machine does. */
export async function processorSeconds(task: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await task();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
