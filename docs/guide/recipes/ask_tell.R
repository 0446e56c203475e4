library(httr2)

server <- "https://similarity.example.org"
study <- "STUDY"
person <- "P01"

kept_in <- sprintf("%s-%s.rds", study, person)
key <- paste(sprintf("%02x", as.integer(openssl::rand_bytes(32))), collapse = "")
kept <- list(key = key, answer = NULL) # who this is, and the answer on its way
if (file.exists(kept_in)) kept <- readRDS(kept_in)

keep <- function(answer) {
  kept <<- list(key = kept$key, answer = answer)
  saveRDS(kept, kept_in)
}

# Calls the server, up to five times if the network or the server fails.
call <- function(route, body = NULL, token = NULL) {
  asked <- request(paste0(server, "/api/", route)) |>
    req_error(is_error = function(reply) FALSE) |>
    req_timeout(10)
  if (!is.null(body)) asked <- req_body_json(asked, body)
  if (!is.null(token)) asked <- req_auth_bearer_token(asked, token)
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

nothing <- structure(list(), names = character())

# Sends the answer that is on its way, and returns the question that comes next, or NULL.
next_question <- function() {
  standing <- NULL
  if (!is.null(kept$answer)) {
    sent <- list(answers = list(kept$answer), want = 1)
    standing <- tryCatch(call("me/answers", sent, token), refused = function(refusal) {
      message("The answer was not taken: ", conditionMessage(refusal))
      NULL
    })
  }
  keep(NULL)
  if (is.null(standing)) standing <- call("me", token = token)
  while (!is.null(standing$page) && standing$state %in% c("consent", "instructions", "questionnaire")) {
    read <- if (standing$state == "consent") list(agree = TRUE) else nothing # you have asked for consent
    standing <- call(paste0("me/pages/", standing$page$name), read, token)
  }
  if (standing$state %in% c("practice", "tasks") && length(standing$questions) == 0) {
    standing <- call("me/answers", list(answers = list(), want = 1), token)
  }
  if (standing$state %in% c("debrief", "finished")) call("me/finish", nothing, token)
  if (length(standing$questions) > 0) standing$questions[[1]]
}

# The text of an item, or the address of its file.
shown <- function(item) if (is.null(item$url)) item$text else paste0(server, item$url)

# Shows a question, and returns the place of the option chosen: put your own display here.
choose <- function(question) {
  cat(sprintf("\n%s\n%s\n", question$prompt, shown(question$head)))
  cat(sprintf("  %d: %s\n", seq_along(question$options), sapply(question$options, shown)), sep = "")
  repeat {
    line <- readLines(input, n = 1)
    if (length(line) == 0) quit(status = 1) # nobody is there
    if (line %in% as.character(seq_along(question$options))) return(as.integer(line) - 1)
  }
}

input <- file("stdin", "r")
keep(kept$answer)
question <- tryCatch({
  token <- call(sprintf("studies/%s/participants", study), list(key = kept$key))$token
  next_question()
}, refused = function(refusal) { # the study is closed, or this person has finished
  message("Ended early: ", conditionMessage(refusal))
  NULL
})
while (!is.null(question)) {
  began <- Sys.time()
  chosen <- choose(question)
  rt_ms <- 1000 * as.numeric(difftime(Sys.time(), began, units = "secs"))
  keep(list(question = question$id, response = list(chosen = chosen), rt_ms = rt_ms))
  question <- next_question()
}
