# Ruby clients: `ruby clients.rb faraday` does one task with Faraday.
#
# A library that has retries has them enabled, as its documentation shows. All other
# settings are the defaults. Each one gets the URL, and for a POST the body.

require "json"

TYPE = { "Content-Type" => "application/json" }.freeze

CLIENTS = {
  "net-http" => lambda do |url, body|
    require "net/http"
    uri = URI(url)
    response = body ? Net::HTTP.post(uri, body, TYPE) : Net::HTTP.get_response(uri)
    [response.code.to_i, response["Retry-After"], response.body]
  end,

  "faraday" => lambda do |url, body|
    require "date" # Faraday uses it without loading it.
    require "faraday"
    client = Faraday.new do |builder|
      builder.request :retry, max: 3, interval: 0.1, interval_randomness: 0.5,
                              backoff_factor: 2, retry_statuses: [429, 503]
      builder.adapter Faraday.default_adapter
    end
    response = body ? client.post(url, body, TYPE) : client.get(url)
    [response.status, response.headers["Retry-After"], response.body]
  end,

  "rest-client" => lambda do |url, body|
    require "rest-client"
    response = begin
      body ? RestClient.post(url, body, TYPE) : RestClient.get(url)
    rescue RestClient::ExceptionWithResponse => error
      error.response || raise
    end
    [response.code, response.headers[:retry_after], response.body]
  end,

  "http" => lambda do |url, body|
    require "http"
    response = body ? HTTP.post(url, body: body, headers: TYPE) : HTTP.get(url)
    [response.code, response.headers["Retry-After"], response.to_s]
  end
}.freeze

def result(client)
  body = '{"task": "resize"}' if ENV["LAB_TASK"] == "post-once"
  status, after, text = client.call(ENV["LAB_URL"], body)
  return JSON.parse(text) if status == 200
  return { status: status } if status < 400

  { error: "refused", status: status, retry_after: (after.to_i if after =~ /\A\d+\z/) }
rescue StandardError => error
  { error: "#{error.class}: #{error.message}" }
end

printed = result(CLIENTS.fetch(ARGV[0]))
puts printed.to_json
exit printed.key?(:error) ? 1 : 0
