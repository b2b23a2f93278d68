/** What stops a first start or the making of the package, said in one sentence to a person. */
class Failure extends Error {
  exitCode = 3;
}

module.exports = { Failure };
