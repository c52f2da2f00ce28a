# irace with its defaults, for entrants.py: irace.R FOLDER BUDGET SEED. Tasks go out and answers come in through two pipes.
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
suppressMessages(library(irace))
tasks <- file(file.path(folder, "tasks"), "w")
answers <- fifo(file.path(folder, "answers"), "r", blocking = TRUE)
parameters <- readParameters(file.path(folder, "parameters.txt"))
runner <- function(experiment, scenario) {
  point <- as.numeric(experiment$configuration[parameters$names])
  cat(experiment$seed, format(point, digits = 8), "\n", file = tasks)
  flush(tasks)
  list(cost = as.numeric(readLines(answers, n = 1)))
}
scenario <- list(
  targetRunner = runner, instances = 1:1000, maxExperiments = as.integer(arguments[2]), seed = as.integer(arguments[3]),
  logFile = "", configurationsFile = file.path(folder, "start.txt")
)
best <- irace(scenario = scenario, parameters = parameters)
write(as.numeric(best[1, parameters$names]), file.path(folder, "best.txt"), ncolumns = length(parameters$names))
