library(httr2)

server <- "https://similarity.example.org"
session <- "SESSION" # one for all participants
questions <- 100 # of each participant
person <- "P01"

kept_in <- sprintf("ask-tell-%s-%s.rds", session, person)
kept <- list(answered = 0)
if (file.exists(kept_in)) kept <- readRDS(kept_in)

keep <- function(answered = kept$answered, out = NULL, chosen = NULL) {
  kept <<- list(answered = answered, out = out, chosen = chosen)
  saveRDS(kept, kept_in)
}

# Calls the server, up to five times if the network or the server fails.
post <- function(route, body) {
  asked <- request(server) |>
    req_url_path_append("api", "sessions", session, route) |>
    req_body_json(body) |>
    req_error(is_error = function(reply) FALSE) |>
    req_timeout(10)
  for (wait in c(0.5, 1, 2, 4, NA)) {
    reply <- tryCatch(req_perform(asked), error = identity)
    if (inherits(reply, "error")) {
      if (is.na(wait)) stop(reply) # run the script again: no answer is lost
      Sys.sleep(wait)
      next
    }
    status <- resp_status(reply)
    if (status < 400) return(resp_body_json(reply))
    patience <- as.numeric(resp_header(reply, "Retry-After"))
    if (status < 500 && length(patience) == 0) {
      stop(structure(class = c("refused", "error", "condition"),
                     list(message = resp_body_string(reply), call = NULL)))
    }
    if (is.na(wait)) stop(resp_body_string(reply)) # as above
    Sys.sleep(max(wait, patience))
  }
}

# Tells the answer that is kept; the same one told twice counts once.
tell <- function() {
  told <- list(question = kept$out$question, chosen = kept$chosen, observer = person)
  answered <- tryCatch({
    post("tell", told)
    kept$answered + 1
  }, refused = function(refusal) {
    message("The answer was not taken: ", conditionMessage(refusal))
    kept$answered
  })
  keep(answered)
}

# Shows a question, and returns the option chosen: put your own display here.
choose <- function(head, options) {
  cat(sprintf("\nWhich is more similar to %s?\n", head))
  cat(sprintf("  %d: %s\n", seq_along(options), unlist(options)), sep = "")
  repeat {
    line <- readLines(input, n = 1)
    if (length(line) == 0) quit(status = 1) # nobody is there
    if (line %in% as.character(seq_along(options))) return(options[[as.integer(line)]])
  }
}

input <- file("stdin", "r")
if (!is.null(kept$chosen)) tell()
while (kept$answered < questions) {
  if (is.null(kept$out)) {
    out <- tryCatch(post("ask", structure(list(), names = character())), refused = identity)
    if (inherits(out, "refused")) { # the session is over for all
      message("Ended early: ", conditionMessage(out))
      break
    }
    keep(out = out)
  }
  keep(out = kept$out, chosen = choose(kept$out$head, kept$out$options))
  tell()
}
