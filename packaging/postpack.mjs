// After `npm pack`: the repository has its versions in package-lock.json alone.
import { rmSync } from 'node:fs';

rmSync('npm-shrinkwrap.json', { force: true });
